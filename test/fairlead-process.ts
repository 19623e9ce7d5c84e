import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '@fairlead/base';
import { pidIsAlive, repositoryRoot, waitFor } from '@fairlead/testing';

/** The launcher, as a person types it. */
export const launcher: string = join(repositoryRoot, 'fairlead');
/** A plugin that breaks one rule of the protocol, or none. */
export const hostilePlugin: string = join(
  repositoryRoot,
  'packages/plugin-conformance/bin/fairlead-hostile-plugin.ts',
);

/** Only catches hanging: a start takes a second or two on a busy machine. */
const hangMs = 60_000;

type TestLike = { after(hook: () => unknown): void };

export type Ended = { readonly exit: number | null; readonly signal: NodeJS.Signals | null };

/** A program whose output is collected. */
export type Running = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when it has ended and its output is whole. */
  readonly ended: Promise<Ended>;
  /** Resolves with stdout once it holds `text`. */
  untilStdout(text: string | RegExp): Promise<string>;
  untilStderr(text: string | RegExp): Promise<string>;
  /** Writes to its standard input, where `keepInput` kept that open. */
  type(text: string): void;
};

/** Starts a program of the test's; it is killed with the test where it still runs. */
export function start(
  t: TestLike,
  command: string,
  args: readonly string[],
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly cwd?: string;
    readonly input?: string;
    readonly keepInput?: boolean;
  } = {},
): Running {
  const { env = process.env, cwd = repositoryRoot, input = '', keepInput = false } = options;
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  if (!keepInput) child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output.stderr += chunk;
  });
  let isEnded = false;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => {
      isEnded = true;
      resolve({ exit, signal });
    });
  });
  t.after(async () => {
    if (!isEnded) child.kill('SIGKILL');
    await ended;
  });
  const until = async (which: 'stdout' | 'stderr', text: string | RegExp) => {
    const has = () => (typeof text === 'string' ? output[which].includes(text) : text.test(output[which]));
    await waitFor(() => has() || isEnded, { what: `${text} on ${which}`, timeoutMs: hangMs });
    if (has()) return output[which];
    throw new Error(
      `${command} ${args.join(' ')} ended without ${text}:\n${output.stdout}\n${output.stderr}`,
    );
  };
  return {
    child,
    pid: child.pid ?? 0,
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    ended,
    untilStdout: (text) => until('stdout', text),
    untilStderr: (text) => until('stderr', text),
    type: (text) => void child.stdin.write(text),
  };
}

export type Done = Ended & { readonly stdout: string; readonly stderr: string };

/** Runs one `./fairlead …` to its end. */
export async function fairlead(
  t: TestLike,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string; readonly input?: string } = {},
): Promise<Done> {
  const running = start(t, launcher, args, options);
  const ended = await running.ended;
  return { ...ended, stdout: running.stdout, stderr: running.stderr };
}

/** What a command prints by itself when a machine is slow is no part of what it says. */
export const withoutProgress = (stderr: string): string => stderr.replaceAll(/^fairlead: .* …\n/gm, '');

/** The ready line. */
export type Ready = {
  readonly url: string;
  readonly tokenFile: string;
  readonly runner: string | null;
  readonly pid: number;
};

export type Host = Running & {
  readonly ready: Ready;
  readonly stateDirectory: string;
  /** The operator's token. */
  readonly token: string;
};

type RunnerRow = {
  readonly runner: string;
  readonly plugins: readonly { readonly status: string }[];
  readonly errorCode?: string;
};

/** Resolves when each plugin is ready or has failed: a ready line comes after 10 s without those that take longer. */
async function untilPluginsStarted({ url, runner }: Ready, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const haveStarted = async () => {
    const response = await fetch(`${url}/api/admin/status`, { headers });
    const { output } = (await response.json()) as { readonly output: { readonly runners: RunnerRow[] } };
    const row = output.runners.find((each) => each.runner === runner);
    if (row === undefined || row.errorCode !== undefined) return false;
    return row.plugins.every(({ status }) => status !== 'starting');
  };
  await waitFor(haveStarted, { what: `the start of the plugins of ${runner}`, timeoutMs: hangMs });
}

/**
 * Starts `./fairlead up --json` (or `serve`) on a free port and waits for its ready line, and until no plugin is starting any
 * more. A test whose plugin never starts uses `start`.
 */
export async function startHost(
  t: TestLike,
  options: {
    readonly stateDirectory: string;
    readonly runnerConfig?: string;
    readonly command?: 'up' | 'serve';
    readonly args?: readonly string[];
    readonly env?: NodeJS.ProcessEnv;
  },
): Promise<Host> {
  const { stateDirectory, runnerConfig, command = 'up', args = [], env } = options;
  const all = [command, '--json', '--state-dir', stateDirectory, '--port', '0', ...args];
  if (runnerConfig !== undefined) all.push('--runner-config', runnerConfig);
  const running = start(t, launcher, all, env === undefined ? {} : { env });
  const line = (await running.untilStdout('\n')).trimEnd();
  const ready = JSON.parse(line) as Ready;
  const token = readFileSync(ready.tokenFile, 'utf8').trim();
  if (ready.runner !== null) await untilPluginsStarted(ready, token);
  // Getters stay getters: the output goes on.
  return Object.defineProperties(Object.create(null), {
    ...Object.getOwnPropertyDescriptors(running),
    ready: { value: ready },
    stateDirectory: { value: stateDirectory },
    token: { value: token },
  }) as Host;
}

/** Sends a signal to a host and gives its end; `tookMs` is from the signal on. */
export async function endHost(
  host: Host,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Ended & { readonly tookMs: number }> {
  const startedMs = performance.now();
  process.kill(host.ready.pid, signal);
  const ended = await host.ended;
  return { ...ended, tookMs: performance.now() - startedMs };
}

/** What a provider block of runner.toml says. */
export type ProviderBlock = {
  readonly id: string;
  readonly name?: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly timeoutSecs?: number;
  /** The budgets of single tools, which leave the time that a plugin has to start as it is. */
  readonly toolTimeoutSecs?: Readonly<Record<string, number>>;
  readonly profile?: string;
};

/** Writes a runner.toml. A JSON text is a TOML string. */
export function writeRunnerConfig(
  path: string,
  runnerId: string,
  providers: readonly ProviderBlock[],
  head = '',
): string {
  const text = (value: Json) => JSON.stringify(value);
  const blocks = providers.map((provider) => {
    const { id, name, command, args = [], cwd, timeoutSecs, toolTimeoutSecs = {}, profile } = provider;
    const budgets = Object.entries(toolTimeoutSecs).map(([tool, secs]) => `${text(tool)} = ${secs}`);
    return [
      '[[plugins.providers]]',
      `id = ${text(id)}`,
      `name = ${text(name ?? id)}`,
      `command = ${text(command)}`,
      `args = ${text([...args])}`,
      ...(cwd === undefined ? [] : [`cwd = ${text(cwd)}`]),
      ...(profile === undefined ? [] : [`profile = ${text(profile)}`]),
      ...(timeoutSecs === undefined ? [] : [`timeout_secs = ${timeoutSecs}`]),
      ...(budgets.length === 0 ? [] : [`tool_timeout_secs = { ${budgets.join(', ')} }`]),
    ].join('\n');
  });
  writeFileSync(path, `client_id = ${text(runnerId)}\n${head}\n${blocks.join('\n\n')}\n`);
  return path;
}

/** The hostile plugin in one of its scenarios; it notes in `record` what it reads, and its processes in `record.pids`. */
export function hostile(id: string, scenario: string, record?: string): ProviderBlock {
  const args = record === undefined ? [hostilePlugin, scenario] : [hostilePlugin, scenario, record];
  return { id, command: process.execPath, args };
}

/** A plugin that does not answer its first request until the file `gate` exists. */
export function gated(id: string, gate: string): ProviderBlock {
  const script = `while [ ! -e "${gate}" ]; do sleep 0.05; done; exec "${process.execPath}" "${hostilePlugin}" well-behaved`;
  return { id, command: '/bin/sh', args: ['-c', script] };
}

/** The process numbers that hostile plugins noted. */
export function notedPids(record: string): number[] {
  const path = `${record}.pids`;
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
}

/** Resolves when none of these processes lives; state Z counts as dead. */
export async function untilGone(pids: readonly number[], withinMs: number): Promise<void> {
  await waitFor(() => pids.every((pid) => !pidIsAlive(pid)), {
    what: `the end of ${pids.join(', ')}`,
    timeoutMs: withinMs,
  });
}

export type HttpAnswer = { readonly status: number; readonly body: JsonObject; readonly text: string };

/** One `plugin_tool` request over HTTP. */
export async function pluginTool(
  host: { readonly ready: { readonly url: string } },
  token: string,
  params: JsonObject,
): Promise<HttpAnswer> {
  const response = await fetch(`${host.ready.url}/api/tools/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ tool: 'plugin_tool', params }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as JsonObject, text };
}

/** Describes a tool and returns its binding. */
export async function bindingOf(
  host: { readonly ready: { readonly url: string } },
  token: string,
  target: { readonly runner: string; readonly plugin: string; readonly tool: string },
): Promise<string> {
  const { body, text } = await pluginTool(host, token, { action: 'describe', ...target });
  const output = body['output'] as JsonObject | null;
  if (typeof output?.['binding'] === 'string') return output['binding'];
  throw new Error(`no binding: ${text}`);
}
