import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { hostError } from '../errors.ts';
import { memoryLimits } from '../limits.ts';

/** The table that memories stand in, put under their key: the newest of a key counts. */
export const MEMORY_TABLE = 'memory';

/** What is remembered under a key. */
export interface Memory {
  readonly key: string;
  readonly value: string;
  readonly tags: readonly string[];
  /** Id of the agent in whose name it was written. */
  readonly agent: string;
  readonly session?: string;
  /** Milliseconds since 1970 by the writer's clock; for people. */
  readonly at: number;
}

/** What is written: a value, or that the key is to be forgotten. */
export type MemoryRecord = Memory | { readonly key: string; readonly forget: true };

export interface NewMemory {
  readonly key: string;
  readonly value: string;
  readonly tags?: readonly string[];
}

/** Control characters but for line ends and tabs, which a value may have. */
const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;

/** Refuses with `memory_invalid` what could not be read back by every peer. */
export function checkMemory({ key, value, tags = [] }: NewMemory): Required<NewMemory> {
  checkKey(key);
  if (value.trim() === '') throw hostError('memory_invalid', 'the value is empty');
  if (Buffer.byteLength(value) > memoryLimits.valueBytes || !value.isWellFormed())
    throw hostError('memory_invalid', `the value has ${memoryLimits.valueBytes} bytes at most`);
  const kept = [...new Set(tags.map((tag) => tag.trim()))].filter((tag) => tag !== '');
  if (kept.length > memoryLimits.tags) throw hostError('memory_invalid', `at most ${memoryLimits.tags} tags`);
  for (const tag of kept)
    if (!isTag(tag))
      throw hostError('memory_invalid', `a tag is one line of at most ${memoryLimits.tagBytes} bytes`);
  return { key, value, tags: kept };
}

export function checkKey(key: string): void {
  if (!isKey(key))
    throw hostError('memory_invalid', `the key is one line of at most ${memoryLimits.keyBytes} bytes`);
}

function isKey(key: unknown): key is string {
  return (
    typeof key === 'string' &&
    LINE.test(key) &&
    key.isWellFormed() &&
    key.trim() !== '' &&
    Buffer.byteLength(key) <= memoryLimits.keyBytes
  );
}

function isTag(tag: unknown): tag is string {
  return (
    typeof tag === 'string' &&
    LINE.test(tag) &&
    tag.isWellFormed() &&
    Buffer.byteLength(tag) <= memoryLimits.tagBytes
  );
}

export function memoryValue(memory: Memory): JsonObject {
  const { session, tags, ...rest } = memory;
  return { ...rest, tags: [...tags], ...(session === undefined ? {} : { session }) };
}

/** A record as anybody may have written it; undefined where it is none. What is wrong beside key and value is left out. */
export function readMemory(value: Json): MemoryRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const { key, forget, value: text, tags, agent, session, at } = value;
  if (!isKey(key)) return undefined;
  if (forget === true) return { key, forget };
  if (typeof text !== 'string' || Buffer.byteLength(text) > memoryLimits.valueBytes) return undefined;
  return {
    ...{ key, value: text },
    tags: Array.isArray(tags) ? (tags as readonly Json[]).filter(isTag).slice(0, memoryLimits.tags) : [],
    agent: typeof agent === 'string' ? agent : '',
    ...(typeof session === 'string' ? { session } : {}),
    at: typeof at === 'number' ? at : 0,
  };
}

/** True where it holds every one of the tags, whatever their case. */
export function hasTags({ tags }: Pick<Memory, 'tags'>, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const own = new Set(tags.map((tag) => tag.toLowerCase()));
  return wanted.every((tag) => own.has(tag.trim().toLowerCase()));
}

/** The text that a vector stands for. */
export function embeddedText({ key, value, tags }: Memory): string {
  const text = tags.length === 0 ? `${key}\n${value}` : `${key}\n${value}\n${tags.join(', ')}`;
  return text.slice(0, memoryLimits.embeddedUnits).toWellFormed();
}
