import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type JsonObject, systemRandom } from '@fairlead/base';
import { resolveExecutable, sensitiveNames, spawnTree, type Watchdog } from '@fairlead/process';
import type { CheckReport, RunnerRequest, RunnerResponse } from '@fairlead/protocol';
import { EnvironmentSnapshots, handleRequest, ProviderSet, readRunnerConfig } from '@fairlead/runner';
import { repositoryRoot } from '@fairlead/testing';

const HOSTILE = join(repositoryRoot, 'packages/plugin-conformance/bin/fairlead-hostile-plugin.ts');
/** Only catches hanging. */
const BUDGET_MS = 60_000;

/**
 * Compiles the hostile plugin into a folder once: its many starts then cost a third. A process that is killed would not leave
 * what it compiled.
 */
export function compileHostilePlugin(folder: string): void {
  const { NODE_DISABLE_COMPILE_CACHE: _, ...env } = process.env;
  execFileSync(process.execPath, [HOSTILE, '--list'], {
    stdio: 'ignore',
    env: { ...env, NODE_COMPILE_CACHE: folder },
  });
}

/** A Runner's providers without a link, and one scenario of the hostile plugin at a time in them. */
export class ScenarioRunner implements AsyncDisposable {
  readonly #folder: string;
  readonly #set: ProviderSet;
  #name = '';
  #binding = { instance: '', observation: '' };

  constructor(folder: string, watchdog: Watchdog, compileCache: string, clock: Clock) {
    this.#folder = folder;
    const random = systemRandom();
    const { platform } = process;
    this.#set = new ProviderSet({
      services: {
        clock,
        random,
        platform,
        log: () => {},
        cwd: folder,
        watchdog,
        spawnTree,
        resolveExecutable,
      },
      readConfig: () => readRunnerConfig(this.#file),
      environmentsOf: ({ shell }, signal) =>
        new EnvironmentSnapshots({
          shell,
          base: { ...process.env, NODE_DISABLE_COMPILE_CACHE: undefined, NODE_COMPILE_CACHE: compileCache },
          sensitive: sensitiveNames(),
          cwd: folder,
          platform,
          clock,
          random,
          watchdog,
          signal,
        }),
    });
  }

  /** Names the scenario of what follows; nothing is started. */
  take(name: string, timeoutSecs: number): void {
    this.#name = name;
    const args = JSON.stringify([HOSTILE, name, this.#record]);
    writeFileSync(
      this.#file,
      `[[plugins.providers]]\nid = "x"\nname = "x"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\ntimeout_secs = ${timeoutSecs}\n`,
    );
  }

  async check(): Promise<CheckReport> {
    const response = await this.#request({ kind: 'check', provider: 'x' });
    if (!('payload' in response) || response.payload.kind !== 'check')
      throw new Error(JSON.stringify(response));
    return response.payload;
  }

  /** Takes the scenario into the committed set: true where it is ready. */
  async admit(): Promise<boolean> {
    const response = await this.#request({ kind: 'reload' });
    return (
      'payload' in response && response.payload.kind === 'reload' && response.payload.failures.length === 0
    );
  }

  /** Remembers what a binding holds, for calls from now on. */
  async observe(): Promise<void> {
    const listed = await this.#request({ kind: 'tools_list', provider: 'x' });
    if (!('payload' in listed) || listed.payload.kind !== 'tools_list')
      throw new Error(JSON.stringify(listed));
    const { provider_instance: instance, tools } = listed.payload;
    const echo = tools.find(({ definition }) => definition['name'] === 'echo');
    this.#binding = { instance: instance ?? '', observation: echo?.observation ?? '' };
  }

  /** One call of `echo`, as certainty and code; `result` where a result was handed on. */
  async call(args: JsonObject, deadlineMs = BUDGET_MS): Promise<string> {
    const { instance, observation } = this.#binding;
    const response = await this.#request(
      {
        kind: 'tools_call',
        provider: 'x',
        provider_instance: instance,
        tool: 'echo',
        observation,
        arguments: args,
      },
      deadlineMs,
    );
    return `${response.dispatch_state} ${'error' in response ? response.error.code : 'result'}`;
  }

  /** `ready`, or the code that it was ended with. */
  get state(): string {
    const [row] = this.#set.rows();
    return row?.error_code ?? row?.status ?? 'absent';
  }

  /** Whether the scenario has read a request of this method. */
  heard(method: string): boolean {
    return existsSync(this.#record) && readFileSync(this.#record, 'utf8').includes(`"method":"${method}"`);
  }

  /** Lets an idle scenario break. */
  openGate(): void {
    writeFileSync(`${this.#record}.gate`, '');
  }

  /** The processes of the scenario: its own first. */
  pids(): number[] {
    const path = `${this.#record}.pids`;
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
  }

  stop(): Promise<void> {
    return this.#set.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get #file(): string {
    return join(this.#folder, 'runner.toml');
  }

  get #record(): string {
    return join(this.#folder, this.#name);
  }

  #request(request: RunnerRequest, deadlineMs = BUDGET_MS): Promise<RunnerResponse> {
    return handleRequest(this.#set, request, deadlineMs);
  }
}
