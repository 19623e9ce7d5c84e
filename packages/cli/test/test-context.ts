import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { type Clock, systemClock, systemRandom } from '@fairlead/base';
import { repositoryRoot } from '@fairlead/testing';
import type { CommandContext } from '../src/command-context.ts';

export type TestContext = CommandContext & {
  /** What was printed so far. */
  readonly printed: { stdout: string; stderr: string };
};

/** What a command prints by itself when a machine is slow. */
const PROGRESS = /^fairlead: .* …\n$/;

/**
 * A command's machine: nothing of the environment, a folder of the test's, an output that can be read. Without a clock of the
 * test's own it leaves out what is said of a long wait, which depends on the machine.
 */
export function testContext(
  folder: string,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly clock?: Clock;
    readonly cloneRoot?: string;
    readonly stdin?: string;
    readonly streams?: { readonly input: Readable; readonly output: Writable };
  } = {},
): TestContext {
  const printed = { stdout: '', stderr: '' };
  return {
    env: options.env ?? { FAIRLEAD_STATE_DIR: join(folder, 'state') },
    cwd: folder,
    home: join(folder, 'home'),
    cloneRoot: options.cloneRoot ?? repositoryRoot,
    platform: process.platform,
    clock: options.clock ?? systemClock(),
    random: systemRandom(),
    stdout: (text) => {
      printed.stdout += text;
    },
    stderr: (text) => {
      if (options.clock === undefined && PROGRESS.test(text)) return;
      printed.stderr += text;
    },
    streams: () => options.streams ?? { input: new PassThrough(), output: new PassThrough() },
    readStdin: async (maxBytes) => Buffer.from(options.stdin ?? '').subarray(0, maxBytes + 1),
    printed,
  };
}
