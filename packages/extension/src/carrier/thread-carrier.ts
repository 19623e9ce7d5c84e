import type { Extension } from '../authoring/extension.ts';
import type { FiredKind } from '../contracts/hook-contracts.ts';
import { Guest, type GuestOptions } from '../guest/guest.ts';
import type { Json } from '../json/json.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { CallRequest, Carrier, Contributions, Death, HookEndpoint, OpenRequest } from './carrier.ts';

/** An extension in the host's own thread: a call is a call, and answers at once where the handler does. */
export class ThreadCarrier implements Carrier {
  readonly #guest: Guest;
  #dead: Death | undefined;

  /** Throws `extension_not_defined` for anything that `defineExtension` did not make. */
  constructor(extension: Extension, options: GuestOptions) {
    this.#guest = new Guest(extension, options);
  }

  get manifest(): Manifest {
    return this.#guest.manifest;
  }

  get dead(): Death | undefined {
    return this.#dead;
  }

  open(request: OpenRequest): Promise<Contributions> {
    return this.#guest.open(request);
  }

  call(request: CallRequest): Json | Promise<Json> {
    return this.#guest.call(request);
  }

  hook(instance: string, kind: FiredKind): HookEndpoint {
    return this.#guest.hook(instance, kind);
  }

  idle(instance?: string): Promise<void> {
    return this.#guest.idle(instance);
  }

  quiet(): void {
    this.#guest.quiet();
  }

  close(instance: string): Promise<void> {
    return this.#guest.close(instance);
  }

  async end(): Promise<void> {
    this.#dead ??= { code: 'extension_ended', reason: 'it was ended' };
    await this.#guest.end();
  }
}
