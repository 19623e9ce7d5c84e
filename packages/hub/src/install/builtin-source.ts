import type { Clock } from '@fairlead/base';
import type { Extension } from '@fairlead/extension';
import {
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
}

/** One of the host's own extensions, run in the host's thread. Nothing dies there, so `onDeath` is never told. */
export function builtinSource(extension: Extension, options: BuiltinOptions): ExtensionSource {
  const { version, ...rest } = options;
  return {
    ref: Object.freeze({ kind: 'builtin', name: nameOf(extension), version }),
    tier: 'in_process',
    builtin: true,
    async start(host: HostSide) {
      // What the manifest does not show is looked at too: it stops the start, not the first turn.
      const [problem] = checkExtension(extension);
      if (problem?.code === 'extension_not_defined') throw extensionError('extension_not_defined');
      if (problem !== undefined) throw new ExtensionError(problem.code, problem.message);
      return new ThreadCarrier(extension, { ...rest, host });
    },
  };
}

/** What is no extension has a name all the same, so that it can be told. */
function nameOf(extension: Extension): string {
  const name: unknown = (extension as Partial<Extension> | null | undefined)?.manifest?.name;
  return typeof name === 'string' && name !== '' ? name : 'unnamed';
}
