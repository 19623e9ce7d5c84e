import { sessionBounds } from '../limits.ts';
import type { AttachedAgent } from './session-meta.ts';

const MENTION = /(?<![A-Za-z0-9_.@-])@([A-Za-z0-9_.-]{1,80})/g;

/**
 * The agents of a session that a text mentions (`@name`, whatever its case), by id, each once, in the order of the text. A dot or a dash at
 * the end belongs to the sentence; an address such as `a@b` mentions nobody.
 */
export function mentionsIn(text: string, agents: readonly AttachedAgent[]): readonly string[] {
  const byName = new Map<string, string>();
  // The one that was attached first keeps a name that two have.
  for (const { id, name } of agents.toReversed()) byName.set(name.toLowerCase(), id);
  const mentioned = new Set<string>();
  for (const [, token = ''] of text.matchAll(MENTION)) {
    const id = byName.get(token.replace(/[.-]+$/, '').toLowerCase());
    if (id !== undefined) mentioned.add(id);
    if (mentioned.size >= sessionBounds.mentions) break;
  }
  return [...mentioned];
}
