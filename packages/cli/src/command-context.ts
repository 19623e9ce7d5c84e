import { homedir } from 'node:os';
import { type Clock, type Random, systemClock, systemRandom } from '@fairlead/base';

/** Everything of the machine that a command touches, as parameters. */
export type CommandContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** The folder that holds the launcher when the command runs from a clone. */
  readonly cloneRoot: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly random: Random;
  /** What was asked for. */
  stdout(text: string): void;
  /** Everything else: progress, notices, errors. */
  stderr(text: string): void;
  /** The whole of standard input, at most one byte more than `maxBytes`. */
  readStdin(maxBytes: number): Promise<Buffer>;
};

/** The running process's own context. */
export function systemContext(cloneRoot: string): CommandContext {
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    cloneRoot,
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    stdout: writerTo(() => process.stdout),
    stderr: writerTo(() => process.stderr),
    readStdin: async (maxBytes) => {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of process.stdin) {
        chunks.push(chunk as Buffer);
        size += (chunk as Buffer).length;
        if (size > maxBytes) break;
      }
      return Buffer.concat(chunks).subarray(0, maxBytes + 1);
    },
  };
}

/** Writes to a stream that may lose its reader (`| head`, a closed terminal): that must not end what a host still has to do. */
function writerTo(stream: () => NodeJS.WriteStream): (text: string) => void {
  let opened: NodeJS.WriteStream | null = null;
  return (text) => {
    opened ??= stream().on('error', () => {});
    opened.write(text);
  };
}
