import type { Readable, Writable } from 'node:stream';
import type { Clock, Random } from '@fairlead/base';

/** Where a command prints. */
export type CommandOutput = {
  /** What was asked for. */
  stdout(text: string): void;
  /** Everything else: progress, notices, errors. */
  stderr(text: string): void;
};

/** Everything of the machine that a command touches, as parameters. */
export type CommandContext = CommandOutput & {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** The folder that holds the launcher when the command runs from a clone. */
  readonly cloneRoot: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly random: Random;
  /** The whole of standard input, at most one byte more than `maxBytes`. */
  readStdin(maxBytes: number): Promise<Buffer>;
  /** Standard input and output themselves, for a command that speaks a protocol over them; nothing else is printed then. */
  streams(): { readonly input: Readable; readonly output: Writable };
};
