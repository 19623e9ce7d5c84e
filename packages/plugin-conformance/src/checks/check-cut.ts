import { parseJson } from '@fairlead/base';
import { frameBounds } from '@fairlead/protocol';
import type { ClauseFault } from '../clauses/clause-fault.ts';
import { shownBytes } from '../plugin/shown.ts';
import { BEYOND_ASCII } from './sample-arguments.ts';

/** What a decoder writes for bytes that are no character by themselves. */
const REPLACEMENT = '\ufffd';

/**
 * What a plugin loses that decodes each piece by itself: the answer to a call whose bytes were cut within a character, held
 * against the answer to the same call in one piece. A tool that answers another thing each time is not held against itself.
 */
export function cutFault(whole: Uint8Array, cut: Uint8Array): ClauseFault | null {
  const [before, after] = [textsOf(whole), textsOf(cut)];
  const isGarbled = after.includes(REPLACEMENT) && !before.includes(REPLACEMENT);
  const isSwallowed = before.includes(BEYOND_ASCII) && !after.includes(BEYOND_ASCII);
  if (!isGarbled && !isSwallowed) return null;
  const expected = 'the same characters, whether a request came whole or cut within one: decode whole lines';
  return { clause: 'wire.call.utf8-arguments', expected, seen: shownBytes(cut) };
}

/** Everything that an answer says, however its characters were escaped. */
function textsOf(line: Uint8Array): string {
  const parsed = parseJson(line, frameBounds);
  return parsed.ok ? JSON.stringify(parsed.value) : '';
}
