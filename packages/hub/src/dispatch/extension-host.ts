import type { Json } from '@fairlead/base';
import {
  type Ask,
  type CallRequest,
  type ExtensionRef,
  extensionError,
  type HostSide,
  type LogLine,
} from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import type { AgentStates } from '../agent-state/agent-state.ts';
import { hubError } from '../errors.ts';
import type { Installed } from '../install/installed.ts';
import type { CallFrame } from '../live/call-frame.ts';
import type { Engine } from '../live/engine.ts';
import type { SessionDoor } from '../sessions/session-door.ts';
import type { SettingsBook } from '../settings/settings-book.ts';
import { callCap } from './call-cap.ts';

export interface ExtensionHostParts {
  readonly ref: ExtensionRef;
  readonly engine: Engine;
  readonly door: SessionDoor;
  readonly settings: Pick<SettingsBook, 'save'>;
  readonly agentStates: AgentStates;
  /** The generation in force under the name. */
  installed(name: string): Installed | undefined;
  /** Has the database of a session, by its root id, until `work` has ended. */
  session<T>(id: string, work: (database: Database) => Promise<T>): Promise<T>;
  log(extension: string, line: LogLine): void;
}

/** What one generation of an extension may ask of its host, and who answers. The manifest has been consulted before. */
export class ExtensionHost implements Pick<HostSide, 'ask' | 'log'> {
  readonly #parts: ExtensionHostParts;

  constructor(parts: ExtensionHostParts) {
    this.#parts = parts;
  }

  ask(ask: Ask, caller: CallRequest | undefined): Json | Promise<Json> {
    const { door, engine } = this.#parts;
    const { op } = ask;
    switch (op) {
      case 'session.read':
      case 'session.append':
      case 'session.open':
        return door.answer(ask, caller?.context.session);
      case 'settings.save':
        return this.#save(ask, caller);
      case 'cap.call': {
        const { request, frame } = this.#called(caller);
        return callCap(ask, request, frame);
      }
      case 'progress':
        engine.frames.of(this.#called(caller).request.context)?.onProgress?.(ask.text);
        return null;
      case 'agent_state.resolve':
      case 'agent_state.read':
      case 'agent_state.write':
        return this.#parts.agentStates.answer(ask, this.#asking());
      default:
        return unknownAsk(op);
    }
  }

  log(line: LogLine): void {
    this.#parts.log(this.#parts.ref.name, line);
  }

  async #save(ask: Extract<Ask, { op: 'settings.save' }>, caller: CallRequest | undefined): Promise<Json> {
    // A session that no call of it belongs to is not its to change.
    if (caller === undefined || caller.context.session !== ask.session) throw hubError('session_not_here');
    const { session, settings } = this.#parts;
    await session(ask.session, (database) => settings.save(this.#owner(), database, ask.patch));
    return null;
  }

  #called(caller: CallRequest | undefined): { readonly request: CallRequest; readonly frame: CallFrame } {
    const frame = caller === undefined ? undefined : this.#parts.engine.frames.of(caller.context);
    if (caller === undefined || frame === undefined) throw extensionError('context_expired');
    return { request: caller, frame };
  }

  #asking() {
    const { name, manifest } = this.#owner();
    return { extension: name, manifest };
  }

  /** Asked before the registry has it, while it opens, an extension is not in force. */
  #owner(): Installed {
    const { ref, installed } = this.#parts;
    const found = installed(ref.name);
    if (found === undefined) throw hubError('extension_unknown', ref.name);
    return found;
  }
}

function unknownAsk(op: never): never {
  throw extensionError('capability_not_declared', String(op));
}
