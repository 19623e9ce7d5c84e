import type { Json } from '@fairlead/base';
import {
  type Ask,
  type CallRequest,
  extensionError,
  type HostSide,
  type LogLine,
} from '@fairlead/extension/runtime';
import { pathLimits } from '../limits.ts';

/** The host side of a worker that was started before anybody took it: what it logs until then is kept, bounded. */
export class RelayedHost implements HostSide {
  #host: HostSide | undefined;
  #onDeath: (() => void) | undefined;
  #died = false;
  readonly #lines: LogLine[] = [];

  /** Gives the worker its host. False when it has died in the meantime. */
  attach(host: HostSide, onDeath: () => void): boolean {
    this.#host = host;
    this.#onDeath = onDeath;
    for (const line of this.#lines.splice(0)) host.log(line);
    return !this.#died;
  }

  ask(ask: Ask, caller: CallRequest | undefined): Json | Promise<Json> {
    if (this.#host === undefined) throw extensionError('extension_ended', 'nobody has taken it yet');
    return this.#host.ask(ask, caller) as Json | Promise<Json>;
  }

  log(line: LogLine): void {
    if (this.#host !== undefined) this.#host.log(line);
    else if (this.#lines.length < pathLimits.earlyLines) this.#lines.push(line);
  }

  changed(instance: string): void {
    this.#host?.changed(instance);
  }

  died(): void {
    this.#died = true;
    this.#onDeath?.();
  }
}
