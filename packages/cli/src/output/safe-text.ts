import { escapeHidden, isJsonObject, type Json, type JsonObject, singleLine } from '@fairlead/base';
import { outputLimits } from '../limits.ts';

/** One line for people: no control characters, at most 4,096 characters. */
export function safeLine(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return cut(singleLine(text), outputLimits.lineCharacters);
}

/** A label and its value. */
export function labelled(label: string, value: Json | undefined): string {
  return `${`${label}:`.padEnd(13)}${safeLine(value)}\n`;
}

/** A schema as indented JSON, at most 16,384 characters. JSON itself leaves DEL, C1 and direction characters as they are. */
export function schemaText(schema: Json): string {
  const text = JSON.stringify(schema, null, 2);
  return cut(text.split('\n').map(singleLine).join('\n'), outputLimits.schemaCharacters);
}

/** Text of a provider, line by line, so that nothing in it can move a cursor. */
export function safeText(text: string): string {
  return text.split('\n').map(safeLine).join('\n');
}

/**
 * One line of JSON. The same value for every reader, but characters by which a text could drive a terminal or hide in it
 * are written as escapes.
 */
export function jsonLine(value: Json): string {
  return `${escapeHidden(JSON.stringify(value))}\n`;
}

/** The members of an array that are objects. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => isJsonObject(item)) : [];
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Never between the two halves of one character.
  const end = /[\ud800-\udbff]$/.test(text.slice(0, max)) ? max - 1 : max;
  return `${text.slice(0, end)}…`;
}
