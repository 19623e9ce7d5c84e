import { memoryTextLimits } from '../limits.ts';
import type { PeerAgentBank, PeerRecalled, PeerRecalledMemory } from '../peer/memory-peer.ts';

/** Whatever begins a new line somewhere: a value is shown to models and to terminals. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

/** A memory as an agent reads it; further lines of its value are indented, so that none of them looks like a memory of its own. */
export function memoryLine({ key, value, tags, at }: PeerRecalledMemory): string {
  const shownTags = tags.length === 0 ? '' : ` [tags: ${tags.join(', ')}]`;
  const when = at === 0 ? '' : ` (${momentOf(at)})`;
  return `- **${key}**: ${value.trim().split(LINE_END).join('\n  ')}${shownTags}${when}`;
}

/** What `recall` answers: a line for each, or a sentence. */
export function recalledText({ memories, by }: PeerRecalled): string {
  if (memories.length > 0) return memories.map(memoryLine).join('\n');
  return by === 'words'
    ? 'Nothing is remembered that has any of these words.'
    : 'Nothing is remembered about this.';
}

/** What a tail says of memories that have to do with the conversation; undefined where there are none. */
export function tailText(memories: readonly PeerRecalledMemory[]): string | undefined {
  if (memories.length === 0) return undefined;
  const named = new Set(memories.flatMap(({ bank }) => bank ?? []));
  // The agent’s own first: `undefined` is the name of no bank.
  const banks = [undefined, ...named];
  const lines = ['## Relevant Memories'];
  for (const bank of banks) {
    if (bank !== undefined) lines.push(`_(from bank: ${oneLine(bank)})_`);
    for (const memory of memories) if (memory.bank === bank) lines.push(shortLine(memory));
  }
  return lines.join('\n');
}

/** One line of bounded length, whatever its key, value and tags are: a tail stands in every request. */
function shortLine(memory: PeerRecalledMemory): string {
  const line = oneLine(memoryLine(memory));
  const cut = [...line.slice(0, memoryTextLimits.tailUnits * 2)]
    .slice(0, memoryTextLimits.tailUnits)
    .join('');
  return cut.length < line.length ? `${cut}… (recall it for the rest)` : cut;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** A bank on one line. */
export function bankText({ name, id, right }: PeerAgentBank, isAttached: boolean): string {
  const may = right === undefined ? 'no more granted' : right === 'write' ? 'read and write' : 'read only';
  return `- ${name} (${id}): ${may}${isAttached ? ', attached to this session' : ''}`;
}

function momentOf(ms: number): string {
  // What another host wrote may be no moment at all.
  return Math.abs(ms) <= 8_640_000_000_000_000
    ? new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
    : 'no date';
}
