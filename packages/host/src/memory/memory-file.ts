import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { isJsonObject, type Json } from '@fairlead/base';
import type { Database } from '@fairlead/store';
import { hostError } from '../errors.ts';
import { memoryLimits } from '../limits.ts';
import { checkMemory, MEMORY_TABLE, type Memory, memoryValue, readMemory } from './memory-record.ts';

/** What the first line of a file says. */
const FORMAT = 'fairlead-memory-v1';

/** A file of memories, absolute. `pause` gives the thread back now and then. */
interface MemoryFile {
  readonly path: string;
  readonly pause: () => Promise<void> | undefined;
}

/** Writes what is remembered to a new file, owner only: a line that says what it is, then one for each memory, oldest first. Answers how many. Rejects with `memory_file_invalid`. */
export async function exportMemories(
  database: Database,
  { path, name, pause }: MemoryFile & { readonly name: string },
): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((thrown: unknown) => {
    throw hostError('memory_file_invalid', systemCode(thrown));
  });
  await using _ = file;
  const latest = database.latest(MEMORY_TABLE);
  await file.appendFile(`${JSON.stringify({ format: FORMAT, memory: name })}\n`);
  let count = 0;
  let lines = '';
  for await (const row of database.table(MEMORY_TABLE).scan()) {
    await pause();
    const memory = readMemory(row.value);
    if (memory === undefined || 'forget' in memory || row.key !== memory.key) continue;
    if ((await latest.get(memory.key))?.id !== row.id) continue;
    const { key, value, tags, at } = memory;
    lines += `${JSON.stringify({ key, value, tags, at })}\n`;
    count += 1;
    if (lines.length < 256 * 1024) continue;
    await file.appendFile(lines);
    lines = '';
  }
  await file.appendFile(lines);
  return count;
}

export interface Imported {
  /** New, or another value than before. */
  readonly written: number;
  /** Remembered just so already. */
  readonly known: number;
}

/**
 * Reads what an export wrote, as memories of `agent`. The whole file is read before anything is written. Rejects with `memory_file_invalid`, naming
 * the first line that is wrong, or with a code of the store.
 */
export async function importMemories(
  database: Database,
  { path, agent, pause }: MemoryFile & { readonly agent: string },
): Promise<Imported> {
  const memories = await memoriesIn(path, agent);
  const latest = database.latest(MEMORY_TABLE);
  const fresh: Memory[] = [];
  for (const memory of memories.values()) {
    await pause();
    const row = await latest.get(memory.key);
    const known = row === undefined ? undefined : readMemory(row.value);
    if (known === undefined || 'forget' in known || !isSame(known, memory)) fresh.push(memory);
  }
  for (let from = 0; from < fresh.length; ) {
    const some = upTo(fresh, from);
    await database.commit((tx) => {
      for (const memory of some) tx.put(MEMORY_TABLE, memory.key, memoryValue(memory));
    });
    from += some.length;
  }
  return { written: fresh.length, known: memories.size - fresh.length };
}

/** As many as one commit holds. */
function upTo(memories: readonly Memory[], from: number): readonly Memory[] {
  const some: Memory[] = [];
  let bytes = 0;
  for (const memory of memories.slice(from, from + memoryLimits.importedAtOnce)) {
    // As JSON: control characters take six bytes.
    bytes += Buffer.byteLength(JSON.stringify(memory));
    if (some.length > 0 && bytes > memoryLimits.importedCommitBytes) break;
    some.push(memory);
  }
  return some;
}

async function memoriesIn(path: string, agent: string): Promise<ReadonlyMap<string, Memory>> {
  const memories = new Map<string, Memory>();
  const file = await ordinaryFile(path);
  const stream = file.createReadStream({ encoding: 'utf8', end: memoryLimits.importedBytes });
  let number = 0;
  let bytes = 0;
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      bytes += Buffer.byteLength(line) + 1;
      if (bytes > memoryLimits.importedBytes || number > memoryLimits.imported + 1)
        throw hostError('memory_file_invalid', 'it is too large');
      if (line.trim() === '') continue;
      const value = parsed(line, number);
      if (number === 1) {
        if (!isJsonObject(value) || value['format'] !== FORMAT)
          throw hostError('memory_file_invalid', `line 1: its format is not ${FORMAT}`);
        continue;
      }
      const memory = memoryIn(value, number, agent);
      memories.set(memory.key, memory);
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'memory_file_invalid') throw thrown;
    throw hostError('memory_file_invalid', systemCode(thrown));
  } finally {
    await file.close();
  }
  if (number === 0) throw hostError('memory_file_invalid', 'it is empty');
  return memories;
}

/** Never waits for a FIFO. */
async function ordinaryFile(path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch((thrown: unknown) => {
    throw hostError('memory_file_invalid', systemCode(thrown));
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw hostError('memory_file_invalid', 'it is no ordinary file');
}

function parsed(line: string, number: number): Json {
  try {
    if (Buffer.byteLength(line) > memoryLimits.importedLineBytes) throw new RangeError('too long');
    return JSON.parse(line) as Json;
  } catch {
    throw hostError('memory_file_invalid', `line ${number} is no JSON`);
  }
}

function memoryIn(value: Json, number: number, agent: string): Memory {
  const read = readMemory(value);
  if (read === undefined || 'forget' in read)
    throw hostError('memory_file_invalid', `line ${number} is no memory`);
  try {
    return { ...checkMemory(read), agent, at: Number.isSafeInteger(read.at) ? read.at : 0 };
  } catch {
    throw hostError('memory_file_invalid', `line ${number} is no memory`);
  }
}

function isSame(one: Memory, other: Memory): boolean {
  return one.value === other.value && one.tags.join('\n') === other.tags.join('\n');
}

/** The system’s word for it, which is safe to show. */
function systemCode(thrown: unknown): string {
  const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? code : 'unreadable';
}
