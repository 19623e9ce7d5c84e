import { stat } from 'node:fs/promises';
import { systemClock } from '@fairlead/base';
import type { JsonObject, ToolFault } from '@fairlead/extension';
import { type Exit, type ProcessTree, resolveExecutable, spawnTree } from '@fairlead/process';
import type { BuiltinPeer } from '../../builtin-peer.ts';
import { toolFault } from '../../errors.ts';
import { shellLimits } from '../../limits.ts';
import { BoundedOutput } from './bounded-output.ts';
import { type CommandExit, commandText, printedText } from './output-text.ts';
import { sandboxArguments, showsProgram } from './sandbox-arguments.ts';
import type { SandboxPlan } from './sandbox-plan.ts';

export interface CommandRequest {
  /** What the host judged; at least one word. */
  readonly argv: readonly string[];
  /** A real path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly plan: Exclude<SandboxPlan, { readonly kind: 'refused' }>;
  readonly machine: Pick<BuiltinPeer, 'watchdog' | 'platform' | 'random'>;
  readonly signal: AbortSignal;
}

/**
 * Runs a command to its end and answers what a model reads. Everything that it started is ended with it.
 *
 * Faults: `folder_not_found`, `command_not_found`, `command_not_started`, `sandbox_failed`, all `not_started`; `outcome_unknown` where it was killed,
 * with what it had printed under `partial`.
 */
export async function runCommand(request: CommandRequest): Promise<string> {
  const { cwd, signal } = request;
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw toolFault('not_started', 'folder_not_found');
  const path = await programOf(request);
  const tree = await started(request, path);
  const running = new RunningCommand(tree, request.plan.kind === 'bubblewrap');
  return await running.end(signal);
}

async function programOf({ argv, cwd, env, plan, machine }: CommandRequest): Promise<string> {
  const [command = ''] = argv;
  const found = await resolveExecutable({ command, cwd, env, platform: machine.platform });
  if (!found.ok) throw toolFault('not_started', 'command_not_found');
  if (plan.kind === 'bubblewrap' && !(await showsProgram(plan, found.path)))
    throw toolFault('not_started', 'command_not_found', 'the sandbox does not show it');
  return found.path;
}

async function started(request: CommandRequest, path: string): Promise<ProcessTree> {
  const { argv, cwd, plan, machine, signal } = request;
  const { watchdog, platform, random } = machine;
  const isSandboxed = plan.kind === 'bubblewrap';
  const env = { ...request.env, PWD: cwd };
  const args = argv.slice(1);
  const inside = isSandboxed
    ? [...(await sandboxArguments({ plan, cwd, isRoot: process.getuid?.() === 0 })), path, ...args]
    : args;
  if (signal.aborted) throw toolFault('not_started', 'command_not_started', 'it was cancelled before');
  const spawned = await spawnTree({
    path: isSandboxed ? plan.program : path,
    args: inside,
    cwd,
    env,
    watchdog,
    platform,
    random,
    isolation: 'none',
    statusPipe: isSandboxed,
  });
  if (!spawned.ok) throw toolFault('not_started', 'command_not_started', spawned.localDetail);
  return spawned.tree;
}

class RunningCommand {
  readonly #tree: ProcessTree;
  readonly #isSandboxed: boolean;
  readonly #stdout = new BoundedOutput();
  readonly #stderr = new BoundedOutput();
  readonly #status = new BoundedOutput(shellLimits.statusMaxBytes);

  constructor(tree: ProcessTree, isSandboxed: boolean) {
    this.#tree = tree;
    this.#isSandboxed = isSandboxed;
    tree.stdout.on('data', (chunk: Buffer) => this.#stdout.push(chunk));
    tree.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    tree.status?.on('data', (chunk: Buffer) => this.#status.push(chunk));
    tree.stdin.end();
  }

  async end(signal: AbortSignal): Promise<string> {
    const exit = await this.#exitOrAbort(signal);
    if (exit === undefined) return await this.#killed();
    const { survivors } = await this.#tree.end();
    return commandText(this.#printed(), this.#own(exit), survivors);
  }

  async #exitOrAbort(signal: AbortSignal): Promise<Exit | undefined> {
    let abort = (): void => undefined;
    const aborted = new Promise<undefined>((resolve) => {
      abort = () => resolve(undefined);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
    try {
      return await Promise.race([this.#tree.exited, aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** The tree is ended in any case; what was printed is told as long as somebody listens. */
  async #killed(): Promise<never> {
    let heard = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      heard = resolve;
    });
    // Real processes end in real time, whatever clock the host has.
    const timer = systemClock().setTimer(shellLimits.partialMs, heard);
    await Promise.race([this.#tree.end(), late]);
    timer.cancel();
    throw this.#unknown('it was killed');
  }

  /** The exit of the command itself: in a sandbox bubblewrap says it, once the command has begun. */
  #own({ code, signal }: Exit): CommandExit {
    if (!this.#isSandboxed) return code === null ? { signal: signal ?? 'a signal' } : { code };
    const own = /"exit-code"\s*:\s*(\d{1,3})/.exec(this.#status.text(shellLimits.statusMaxBytes))?.[1];
    if (own !== undefined) return { code: Number(own) };
    if (code === null) throw this.#unknown(`its sandbox was ended by ${signal}`);
    throw toolFault('not_started', 'sandbox_failed', this.#stderr.text(200).trim());
  }

  #unknown(reason: string): ToolFault {
    const partial = this.#printed();
    const detail: JsonObject = partial === '' ? {} : { partial };
    return toolFault('outcome_unknown', 'command_killed', reason, { detail });
  }

  #printed(): string {
    return printedText(this.#stdout, this.#stderr);
  }
}
