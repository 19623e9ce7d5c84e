import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../command-context.ts';

/** Asks a person at a terminal, and takes the word `yes` alone. Where nobody can be asked, nobody has confirmed. */
export async function isConfirmed(context: CommandContext, question: string): Promise<boolean> {
  const { input } = context.streams();
  if (!('isTTY' in input) || input.isTTY !== true) return false;
  context.stderr(`${question} Type yes to go on: `);
  const lines = createInterface({ input, terminal: false });
  try {
    for await (const line of lines) return line.trim() === 'yes';
    return false;
  } finally {
    lines.close();
  }
}
