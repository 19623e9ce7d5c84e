import type { spawn as nodeSpawn } from 'node:child_process';
import type { Clock, Random } from '@fairlead/base';
import { type ExecutableAnswer, resolveExecutable } from '../executable/resolve-executable.ts';
import { PROVIDER_VARIABLE } from '../family/provider-variable.ts';
import { initScriptLimits } from '../limits.ts';
import type { Platform } from '../platform.ts';
import type { ProcessTree } from '../tree/process-tree.ts';
import { spawnTree, type TreeOwner } from '../tree/spawn-tree.ts';
import { environmentKey, mergeEnvironment, prependPath } from '../variables.ts';
import { initScriptText, readEnvironmentDump } from './init-script.ts';
import { filterEnvironment, runtimeNames } from './sensitive-names.ts';
import type { ShellEnvironment, ShellProfile } from './shell.ts';

export type EnvironmentRequest = {
  /** The Runner's own environment. */
  readonly base: Readonly<Record<string, string | undefined>>;
  readonly shell: ShellEnvironment;
  readonly profile?: ShellProfile;
  /** The provider's folder, absolute: the init script runs in it. */
  readonly cwd: string;
  readonly platform: Platform;
  /** Names that must not reach a plugin, from `sensitiveNames`; taken out before and after the init script. */
  readonly sensitive: readonly string[];
  /** Measures the time of the init script. */
  readonly clock: Clock;
  /** How long the init script may take, in milliseconds. Default: 30 s. */
  readonly initTimeoutMs?: number;
  readonly random: Random;
  /** Ends the init script early. */
  readonly signal?: AbortSignal;
  /** Owner of the init script's process tree: with it, the tree ends with the Runner. */
  readonly watchdog?: TreeOwner;
  readonly spawn?: typeof nodeSpawn;
};

export type EnvironmentAnswer =
  | { readonly ok: true; readonly env: Record<string, string> }
  | {
      readonly ok: false;
      readonly code: 'plugin_environment_prepare_failed';
      /** For the Runner's own eyes: it may hold what the init script printed to stderr. */
      readonly localDetail: string;
    };

/** Made by every shell for itself: the init script's values say nothing about the plugin. */
const OF_THE_SHELL: readonly string[] = ['_', 'PWD', 'OLDPWD', 'SHLVL', PROVIDER_VARIABLE];

/**
 * Makes the environment of a provider: the Runner's own without credentials, the folders of `path_prepend` before its PATH, the
 * variables of the shell table, then those of the profile, then what the init script makes of it. Without an init script no
 * shell is started. The answer holds for one cwd and profile; a caller may keep it.
 *
 * Code: `plugin_environment_prepare_failed` the init script could not be started, ended with anything but 0, took longer than
 * it may, printed more than 4 MiB, or left an entry that is not UTF-8.
 */
export async function prepareEnvironment(request: EnvironmentRequest): Promise<EnvironmentAnswer> {
  const { shell, profile, platform, sensitive } = request;
  const inherited = filterEnvironment(request.base, [...sensitive, ...runtimeNames()], platform);
  const withPath = prependPath(inherited, shell.pathPrepend, platform);
  const withShell = mergeEnvironment(withPath, shell.env, platform);
  const merged = mergeEnvironment(withShell, profile?.env ?? {}, platform);
  const initial = filterEnvironment(merged, sensitive, platform);
  const init = profile?.initScript ?? shell.initScript;
  if (init === undefined) return { ok: true, env: initial };

  const marker = `fairlead${Buffer.from(request.random(24)).toString('hex')}`;
  const ran = await runInit(request, initial, init, marker);
  if (!ran.ok) return ran;
  const dump = readEnvironmentDump(ran.output, marker);
  if (!dump.ok) return failed(dump.localDetail);
  const kept = new Set(OF_THE_SHELL.map((name) => environmentKey(name, platform)));
  const ofShell = (name: string): boolean => kept.has(environmentKey(name, platform));
  const made = Object.fromEntries([
    ...dump.entries.filter(([name]) => !ofShell(name)),
    ...Object.entries(initial).filter(([name]) => ofShell(name)),
  ]);
  return { ok: true, env: filterEnvironment(made, sensitive, platform) };
}

type Ran = { readonly ok: true; readonly output: Uint8Array } | Exclude<EnvironmentAnswer, { ok: true }>;

async function runInit(
  request: EnvironmentRequest,
  initial: Record<string, string>,
  init: string,
  marker: string,
): Promise<Ran> {
  const { shell, profile, cwd, platform, random, spawn } = request;
  const command = profile?.program ?? shell.program;
  const found: ExecutableAnswer = await resolveExecutable({ command, cwd, env: initial, platform });
  if (!found.ok) return failed(`the shell ${command} is no executable file (${found.code})`);
  const text = initScriptText(profile?.dialect ?? shell.dialect, init, marker);
  const spawned = await spawnTree({
    path: found.path,
    args: [...(profile?.args ?? shell.args), text],
    cwd,
    env: initial,
    watchdog: request.watchdog ?? unwatched(random),
    isolation: 'none',
    platform,
    random,
    drainMs: initScriptLimits.drainMs,
    ...(spawn === undefined ? {} : { spawn }),
  });
  if (!spawned.ok) return failed(spawned.localDetail);
  return await collect(spawned.tree, request);
}

/** Reads what the shell prints until it has ended, however that comes; its tree is ended in any case. */
async function collect(tree: ProcessTree, request: EnvironmentRequest): Promise<Ran> {
  const { clock, signal, initTimeoutMs = initScriptLimits.timeoutMs } = request;
  const output: Buffer[] = [];
  const complaints: Buffer[] = [];
  let outputBytes = 0;
  let complaintBytes = 0;
  let stop: (reason: string) => void = () => {};
  const stopped = new Promise<string>((resolve) => {
    stop = resolve;
  });
  tree.stdout.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes > initScriptLimits.outputMaxBytes) stop('it printed more than 4 MiB');
    else output.push(chunk);
  });
  tree.stderr.on('data', (chunk: Buffer) => {
    const room = initScriptLimits.stderrMaxBytes - complaintBytes;
    if (room <= 0) return;
    complaints.push(chunk.subarray(0, room));
    complaintBytes += Math.min(room, chunk.length);
  });
  tree.stdin.end();
  const timer = clock.setTimer(initTimeoutMs, () => stop(`it took more than ${initTimeoutMs / 1000} s`));
  const abort = (): void => stop('the Runner is stopping');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  const ended = await Promise.race([stopped, tree.exited]);
  timer.cancel();
  signal?.removeEventListener('abort', abort);
  await tree.end();

  const fault = outputBytes > initScriptLimits.outputMaxBytes ? 'it printed more than 4 MiB' : faultOf(ended);
  if (fault === null) return { ok: true, output: Buffer.concat(output) };
  const said = Buffer.concat(complaints).toString('utf8');
  return failed(`the init script failed: ${fault}${said === '' ? '' : `; it said: ${said}`}`);
}

function faultOf(
  ended: string | { readonly code: number | null; readonly signal: string | null },
): string | null {
  if (typeof ended === 'string') return ended;
  if (ended.code === 0) return null;
  return ended.code === null ? `it was ended by ${ended.signal}` : `it ended with ${ended.code}`;
}

/** For callers without a Runner: the tree is still ended by this process. */
function unwatched(random: Random): TreeOwner {
  return { token: Buffer.from(random(16)).toString('base64url'), watch() {}, forget() {} };
}

function failed(localDetail: string): Exclude<EnvironmentAnswer, { ok: true }> {
  return { ok: false, code: 'plugin_environment_prepare_failed', localDetail };
}
