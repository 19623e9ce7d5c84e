import type { Clock } from '@fairlead/base';
import type { Extension } from '@fairlead/extension';
import {
  type Carrier,
  checkExtension,
  ExtensionError,
  extensionError,
  type HostSide,
  ThreadCarrier,
} from '@fairlead/extension/runtime';
import type { ExtensionSource } from './extension-source.ts';

export interface BuiltinOptions {
  /** The program's own: it is what the ref of a built-in carries. */
  readonly version: string;
  readonly clock: Clock;
  /** What `scope.peer` gives. */
  readonly peer?: unknown;
  /** Slot 0 says, to a thread that watches, which extension runs: its `number`. */
  readonly activity?: Int32Array;
  readonly number?: number;
  /** What does not run of it now, where that is no failure of its instances. */
  readonly notice?: (() => Carrier['notice']) | undefined;
}

/** One of the host's own extensions, run in the host's thread. Nothing dies there, so `onDeath` is never told. */
export function builtinSource(extension: Extension, options: BuiltinOptions): ExtensionSource {
  const { version, notice, ...rest } = options;
  return {
    ref: Object.freeze({ kind: 'builtin', name: nameOf(extension), version }),
    tier: 'in_process',
    builtin: true,
    async start(host: HostSide) {
      // What the manifest does not show is looked at too: it stops the start, not the first turn.
      const [problem] = checkExtension(extension);
      if (problem?.code === 'extension_not_defined') throw extensionError('extension_not_defined');
      if (problem !== undefined) throw new ExtensionError(problem.code, problem.message);
      return notice === undefined
        ? new ThreadCarrier(extension, { ...rest, host })
        : new NoticedCarrier(extension, { ...rest, host }, notice);
    },
  };
}

/** One of which something is said beside its failures. */
class NoticedCarrier extends ThreadCarrier {
  readonly #notice: () => Carrier['notice'];

  constructor(
    extension: Extension,
    options: ConstructorParameters<typeof ThreadCarrier>[1],
    notice: () => Carrier['notice'],
  ) {
    super(extension, options);
    this.#notice = notice;
  }

  get notice(): Carrier['notice'] {
    return this.#notice();
  }
}

/** What is no extension has a name all the same, so that it can be told. */
function nameOf(extension: Extension): string {
  const name: unknown = (extension as Partial<Extension> | null | undefined)?.manifest?.name;
  return typeof name === 'string' && name !== '' ? name : 'unnamed';
}
