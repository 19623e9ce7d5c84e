import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/base';
import { resolveExecutable, sensitiveNames, spawnTree, startWatchdog } from '@fairlead/process';
import type { RunnerRequest, RunnerResponse } from '@fairlead/protocol';
import {
  hygiene,
  pidIsAlive,
  repositoryRoot,
  type TestLike,
  temporaryFolder,
  waitFor,
} from '@fairlead/testing';
import { handleRequest } from '../src/answer-request.ts';
import { readRunnerConfig } from '../src/config/read-runner-config.ts';
import type { RunnerConfig } from '../src/config/runner-config.ts';
import { type RootedProject, readProjects } from '../src/configuration/projects.ts';
import { RunnerConfiguration } from '../src/configuration/runner-configuration.ts';
import { EnvironmentSnapshots } from '../src/provider/environment-snapshots.ts';
import type { LaunchServices } from '../src/provider/launch-provider.ts';
import { ProviderSet } from '../src/providers/provider-set.ts';

/** By its path: the package stands on a floor of its own, and is a program here. */
export const HOSTILE = join(repositoryRoot, 'packages/plugin-conformance/bin/fairlead-hostile-plugin.ts');

/** What the hostile plugin compiles to, made once for a test file: its many starts then cost a third. */
const compiled = mkdtempSync(join(tmpdir(), 'fairlead-hostile-'));
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }));
const compiling = { NODE_DISABLE_COMPILE_CACHE: undefined, NODE_COMPILE_CACHE: compiled };
execFileSync(process.execPath, [HOSTILE, '--list'], {
  stdio: 'ignore',
  env: { ...process.env, ...compiling },
});

/** One `[[plugins.providers]]`: a scenario of the hostile plugin, unless it names another command. */
export type Entry = {
  readonly id: string;
  readonly scenario?: string;
  /** Where its child records what it sees; `<id>` in the test's folder where absent. */
  readonly record?: string;
  readonly command?: string;
  /** Further lines of TOML for this provider. */
  readonly more?: string;
};

export type Call = {
  readonly tool?: string;
  readonly arguments?: { readonly [name: string]: string | number | boolean };
  readonly budgetMs?: number;
  readonly instance?: string;
  readonly observation?: string;
};

/** What the first two requests look like on the child's stdin. */
export const HELLO =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n' +
  '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n';

/** A provider set over real children, ended with the test; the test's guard is on. */
export class HostileProviders {
  readonly folder: string;
  readonly set: ProviderSet;
  readonly configuration: RunnerConfiguration;
  readonly logged: string[] = [];
  /** What a reload of the configuration has put in force beside the plugins. */
  readonly applied: { readonly config: RunnerConfig; readonly projects: readonly RootedProject[] }[] = [];
  readonly #seen = new Map<string, { instance: string; observations: Map<string, string> }>();

  private constructor(folder: string, set: (self: HostileProviders) => ProviderSet) {
    this.folder = folder;
    this.set = set(this);
    this.configuration = new RunnerConfiguration({
      providers: this.set,
      projects: [],
      readProjects: (config) =>
        readProjects(config, { configPath: this.file, platform: process.platform, log: () => {} }),
      apply: (config, projects) => this.applied.push({ config, projects }),
    });
  }

  /** Writes a `runner.toml` of these entries and starts them; resolves when each is ready or failed. */
  static async start(
    t: TestLike,
    entries: readonly Entry[],
    options: { readonly head?: string; readonly services?: Partial<LaunchServices> } = {},
  ): Promise<HostileProviders> {
    const providers = HostileProviders.prepare(t, options.services);
    providers.write(entries, options.head);
    await providers.begin();
    providers.observe();
    return providers;
  }

  /** The same without starting anything. */
  static prepare(t: TestLike, services: Partial<LaunchServices> = {}): HostileProviders {
    hygiene(t);
    const folder = temporaryFolder(t);
    // Init scripts and connections share the clock; process trees and the watchdog keep to real time.
    const { clock = systemClock() } = services;
    const random = systemRandom();
    const { platform } = process;
    const watchdog = startWatchdog({ random });
    t.after(() => watchdog.close());
    const providers = new HostileProviders(
      folder,
      (self) =>
        new ProviderSet({
          services: {
            clock,
            random,
            platform,
            log: (level, event, fields) => self.logged.push(JSON.stringify({ level, event, ...fields })),
            cwd: folder,
            watchdog,
            spawnTree,
            resolveExecutable,
            ...services,
          },
          readConfig: () => readRunnerConfig(self.file),
          environmentsOf: ({ shell }, signal) =>
            new EnvironmentSnapshots({
              shell,
              base: { ...process.env, ...compiling },
              sensitive: sensitiveNames(),
              cwd: folder,
              platform,
              clock,
              random,
              watchdog,
              signal,
            }),
        }),
    );
    t.after(() => providers.set.stop());
    return providers;
  }

  get file(): string {
    return join(this.folder, 'runner.toml');
  }

  write(entries: readonly Entry[], head = ''): void {
    const tables = entries.map(({ id, scenario = 'well-behaved', record = id, command, more = '' }) =>
      [
        '[[plugins.providers]]',
        `id = ${JSON.stringify(id)}`,
        `name = "Provider ${id}"`,
        `command = ${JSON.stringify(command ?? process.execPath)}`,
        `args = ${JSON.stringify(command === undefined ? [HOSTILE, scenario, join(this.folder, record)] : [])}`,
        more,
      ].join('\n'),
    );
    writeFileSync(this.file, [head, ...tables].join('\n\n'));
  }

  /** Starts what the file says. */
  async begin(): Promise<void> {
    const file = await readRunnerConfig(this.file);
    if (!file.ok) throw new Error(file.localDetail);
    await this.set.start(file.config);
  }

  /** Remembers instance and observations of every ready provider, as bindings do. */
  observe(): void {
    for (const { id } of this.set.rows()) {
      const listed = this.set.catalog(id);
      if (!('value' in listed) || listed.value.kind !== 'tools_list') continue;
      const { provider_instance: instance, tools } = listed.value;
      if (instance === null) continue;
      const observations = new Map(tools.map((tool) => [String(tool.definition['name']), tool.observation]));
      this.#seen.set(id, { instance, observations });
    }
  }

  /** Sends one request as the link would. */
  request(request: RunnerRequest, budgetMs = 20_000): Promise<RunnerResponse> {
    return handleRequest(this.set, request, budgetMs, this.configuration);
  }

  /** Calls a tool with what was observed. */
  call(id: string, call: Call = {}): Promise<RunnerResponse> {
    const seen = this.#seen.get(id);
    const { tool = 'echo', budgetMs = 20_000 } = call;
    return this.request(
      {
        kind: 'tools_call',
        provider: id,
        provider_instance: call.instance ?? seen?.instance ?? 'pin_unknown',
        tool,
        observation: call.observation ?? seen?.observations.get(tool) ?? 'unknown',
        arguments: call.arguments ?? {},
      },
      budgetMs,
    );
  }

  /** The bytes that the child of this record has read from its stdin. */
  stdin(record: string): string {
    const path = join(this.folder, record);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** The processes that the child of this record has named: itself first. */
  pids(record: string): number[] {
    const path = join(this.folder, `${record}.pids`);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
  }

  /** Lets what the scenario holds back happen. */
  openGate(record: string): void {
    writeFileSync(join(this.folder, `${record}.gate`), '');
  }

  /** `ready`, or the code it failed with. */
  state(id: string): string {
    const row = this.set.rows().find((each) => each.id === id);
    return row?.error_code ?? row?.status ?? 'absent';
  }
}

/** What a caller is told, on one line: certainty and code, or certainty and `payload`. */
export function told(response: RunnerResponse): string {
  return `${response.dispatch_state} ${'error' in response ? response.error.code : 'payload'}`;
}

/** One call as it looks on the child's stdin. */
export function callLine(id: number, args: unknown = {}, tool = 'echo'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":${JSON.stringify(args)}}}\n`;
}

/** Waits for the end of these processes: one that was killed takes a moment, and on a busy machine a longer one. */
export async function allEnd(pids: readonly number[]): Promise<void> {
  for (const pid of pids) await waitFor(() => !pidIsAlive(pid), { what: `the end of process ${pid}` });
}

/** Fails a test that hangs; the budgets themselves are tested with a clock that the test moves. */
export async function notHanging<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('not done after 60 s')), 60_000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
