import { isJsonObject, type Json } from '@fairlead/base';

/** What a text says that tells its reader what to do rather than what a tool is. */
const ORDERS: readonly RegExp[] = [
  /\b(?:you|the (?:model|assistant|agent|ai)) (?:must|should|shall|have to|need to|are (?:required|to))\b/i,
  /\b(?:always|never|do not|don't|make sure|be sure|ensure)\b/i,
  /\b(?:ignore|disregard|forget|override)\b/i,
  /\b(?:before|after|instead of|prior to) (?:using|calling|invoking|any|every|each|other|all)\b/i,
  /\b(?:first|then|also|now) (?:call|use|read|send|run|open|fetch|pass|include|invoke)\b/i,
  /^(?:call|use|read|send|run|open|fetch|pass|include|copy|tell|ask|reveal|append|provide|invoke)\b/i,
  /\b(?:secret|hidden|without (?:telling|mentioning|asking))\b/i,
  /<\/?(?:important|system|instructions?|admin|secret)\b/i,
  /\b(?:system prompt|important|mandatory|required step)\s*[:!]/i,
];

/** Sentences of one definition that stand nowhere in another one and order something. At most 16. */
export function newOrders(before: Json | undefined, after: Json | undefined): readonly string[] {
  const known = new Set(before === undefined ? [] : sentencesIn(before));
  const found = new Set<string>();
  for (const sentence of after === undefined ? [] : sentencesIn(after)) {
    if (known.has(sentence) || !ORDERS.some((order) => order.test(sentence))) continue;
    found.add(sentence);
    if (found.size === 16) break;
  }
  return [...found];
}

/** The sentences of every text for people and models in a definition. */
function* sentencesIn(value: Json, key = ''): Generator<string> {
  if (typeof value === 'string') {
    if (!TEXTS.has(key)) return;
    for (const sentence of value.split(/(?<=[.!?])\s+|\n+/u)) {
      const bare = sentence.trim();
      if (bare !== '') yield bare;
    }
  } else if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) yield* sentencesIn(item, key);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* sentencesIn(member, name);
  }
}

const TEXTS: ReadonlySet<string> = new Set([
  'description',
  'title',
  'instructions',
  'default',
  'enum',
  'const',
  'examples',
]);
