import { screenFault, screenOutput } from '../leaks/screen-result.ts';
import type { CommandAnswer } from './command-answer.ts';
import type { CommandPorts } from './ports.ts';

/** An answer without what looks like a secret; of an extension's, where `leak` is `block`, nothing but the kind of it. */
export function screenAnswer(
  { leaks, policy }: Pick<CommandPorts, 'leaks' | 'policy'>,
  answer: CommandAnswer,
  whose: 'host' | 'extension',
): CommandAnswer {
  // The host's own answers show what was screened when it was written.
  const leak = whose === 'host' ? 'redact' : policy.leak;
  if ('error' in answer) {
    const { fault } = screenFault(answer.error, leak, leaks);
    return { error: { ...answer.error, ...fault } };
  }
  const { text, data, ...more } = answer;
  const screening = screenOutput({ text, ...(data === undefined ? {} : { structured: data }) }, leak, leaks);
  if (screening.kind === 'blocked') return { error: { ...screening.fault, certainty: 'completed' } };
  const { text: shown, structured } = screening.output;
  return { text: shown, ...(structured === undefined ? {} : { data: structured }), ...more };
}
