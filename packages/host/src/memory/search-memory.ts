import type { Database, KeyedRow } from '@fairlead/store';
import { memoryLimits } from '../limits.ts';
import { fuse } from './fuse.ts';
import { hasTags, MEMORY_TABLE, type Memory, readMemory } from './memory-record.ts';
import { queryWords, wordsOf } from './query-words.ts';
import { nextTurn, slices } from './slice.ts';
import type { VectorIndex } from './vectors/vector-index.ts';

export interface MemorySearch {
  /** Blank: the newest first. */
  readonly query: string;
  /** All of them, whatever their case. */
  readonly tags: readonly string[];
  readonly limit: number;
  /** What is nearest to the query is looked for too. `least`: no less near than this. */
  readonly meaning?: { readonly index: VectorIndex; readonly question: Int8Array; readonly least: number };
}

export interface FoundMemory {
  readonly memory: Memory;
  readonly record: string;
  /** Orders what one search found; 0 where the newest was asked for. */
  readonly score: number;
}

/** Searches one memory: by words, by meaning where there is a question, fused by rank. */
export async function searchMemory(
  database: Database,
  search: MemorySearch,
  nowMs: () => number,
): Promise<readonly FoundMemory[]> {
  if (search.query.trim() === '') return await newestMemories(database, search, nowMs);
  const byWords = await foundByWords(database, search);
  // Each of these keeps to its slices; one after the other they would make one long one.
  if (search.meaning !== undefined) await nextTurn();
  const byMeaning = await foundByMeaning(database, search, nowMs);
  const all = new Map([...byWords, ...byMeaning].map((found) => [found.record, found.memory]));
  return fuse(idsOf(byWords), idsOf(byMeaning))
    .slice(0, search.limit)
    .flatMap(({ id, score }) => {
      const memory = all.get(id);
      return memory === undefined ? [] : [{ memory, record: id, score }];
    });
}

type Read = { readonly memory: Memory; readonly record: string };

async function foundByWords(database: Database, { query, tags }: MemorySearch): Promise<readonly Read[]> {
  const any = queryWords(query);
  if (any.length === 0) return [];
  // A tag stands in the word index like any other text of the record: what has it by another member is sorted out below.
  const all = tags.flatMap(wordsOf).join(' ');
  const wanted = tags.length === 0 ? memoryLimits.ranked : memoryLimits.rankedForTags;
  const rows = await database.latest(MEMORY_TABLE).search({ all, any: any.join(' ') }, wanted);
  return rows.flatMap((row) => readRow(row, tags)).slice(0, memoryLimits.ranked);
}

async function foundByMeaning(
  database: Database,
  { tags, meaning }: MemorySearch,
  nowMs: () => number,
): Promise<readonly Read[]> {
  if (meaning === undefined) return [];
  const wanted = tags.length === 0 ? memoryLimits.ranked : memoryLimits.rankedForTags;
  const latest = database.latest(MEMORY_TABLE);
  const found: Read[] = [];
  const near = await meaning.index.nearest(database.root, meaning.question, wanted);
  const pause = slices(nowMs);
  for (const { key, record, score } of near) {
    await pause();
    if (score < meaning.least || found.length === memoryLimits.ranked) break;
    const row = await latest.get(key);
    // The vector is of an older record: its newer text has none yet.
    if (row?.id === record) found.push(...readRow(row, tags));
  }
  return found;
}

/** The newest of each key, newest first. */
async function newestMemories(
  database: Database,
  { tags, limit }: MemorySearch,
  nowMs: () => number,
): Promise<readonly FoundMemory[]> {
  const pause = slices(nowMs);
  const seen = new Set<string>();
  const found: FoundMemory[] = [];
  let before: string | undefined;
  for (let walked = 0; walked < memoryLimits.walked && found.length < limit; ) {
    const page = await database.table(MEMORY_TABLE).tail(memoryLimits.walkedPage, before);
    for (const row of page.rows) {
      const { key } = row;
      if (key === undefined || seen.has(key)) continue;
      seen.add(key);
      for (const read of readRow({ ...row, key }, tags)) found.push({ ...read, score: 0 });
    }
    if (page.before === null) break;
    before = page.before;
    walked += page.rows.length;
    await pause();
  }
  return found.slice(0, limit);
}

function readRow({ id, key, value }: KeyedRow, tags: readonly string[]): readonly Read[] {
  const memory = readMemory(value);
  if (memory === undefined || 'forget' in memory || memory.key !== key || !hasTags(memory, tags)) return [];
  return [{ memory, record: id }];
}

function idsOf(found: readonly Read[]): readonly string[] {
  return found.map(({ record }) => record);
}
