import { homedir } from 'node:os';
import { systemClock, systemRandom } from '@fairlead/base';
import type { CommandContext, CommandOutput } from '../command-context.ts';

/** The running process's own context. */
export function systemContext(cloneRoot: string, output: CommandOutput): CommandContext {
  return {
    ...output,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    cloneRoot,
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    streams: () => ({ input: process.stdin, output: process.stdout }),
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
