import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../command-context.ts';

/** Asks a person at a terminal, one line an answer. */
export type Questions = AsyncDisposable & {
  /** The trimmed answer; `fallback` for an empty one. Null when there is nobody any more. */
  ask(question: string, fallback?: string): Promise<string | null>;
};

/** Null where nobody can be asked. */
export function openQuestions(context: CommandContext): Questions | null {
  const { input } = context.streams();
  if (!('isTTY' in input) || input.isTTY !== true) return null;
  const reader = createInterface({ input, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  return {
    ask: async (question, fallback) => {
      const shown = fallback === undefined || fallback === '' ? '' : ` [${fallback}]`;
      context.stderr(`${question}${shown}: `);
      const { done, value } = await lines.next();
      if (done === true) return null;
      const answer = value.trim();
      return answer === '' ? (fallback ?? '') : answer;
    },
    [Symbol.asyncDispose]: async () => reader.close(),
  };
}
