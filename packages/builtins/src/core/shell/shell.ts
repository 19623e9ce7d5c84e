import type { BuiltinPeer, Caller } from '../../builtin-peer.ts';
import { allowed, toolFault } from '../../errors.ts';
import { runCommand } from './run-command.ts';
import { SaidOnce } from './said-once.ts';
import { planSandbox } from './sandbox-plan.ts';

export interface ShellCall {
  readonly caller: Caller;
  readonly command: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** The shell of one host: what it has said to whom is all that it keeps. */
export class Shell {
  readonly #peer: BuiltinPeer;
  readonly #said = new SaidOnce();

  constructor(peer: BuiltinPeer) {
    this.#peer = peer;
  }

  /** Judged by the host, held by a sandbox where the grants limit anything, run to its end. */
  async run({ caller, command, folder, signal }: ShellCall): Promise<string> {
    const peer = this.#peer;
    const argv = await allowed(peer.command(caller, command));
    if (argv.length === 0) throw toolFault('not_started', 'command_empty');
    const cwd = await allowed(peer.path(caller, 'read', folder));
    const plan = planSandbox(await allowed(peer.grants(caller)), peer.sandbox.bubblewrap);
    if (plan.kind === 'refused') throw toolFault('not_started', 'sandbox_unavailable');
    const text = await runCommand({ argv, cwd, env: peer.childEnvironment(), plan, machine: peer, signal });
    const note = 'note' in plan ? plan.note : undefined;
    return note !== undefined && this.#said.first(`${caller.session}\0${note}`) ? `${note}\n${text}` : text;
  }
}
