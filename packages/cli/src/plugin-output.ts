import { isJsonObject, type Json, type JsonObject, singleLine } from '@fairlead/base';

const maxLineCharacters = 4_096;
const maxSchemaCharacters = 16_384;

/** One line for people: no control characters, at most 4,096 characters. */
export function safeLine(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return cut(singleLine(text), maxLineCharacters);
}

/** A label and its value. */
export function labelled(label: string, value: Json | undefined): string {
  return `${`${label}:`.padEnd(13)}${safeLine(value)}\n`;
}

/** A schema as indented JSON, at most 16,384 characters. JSON escapes every control character but DEL and C1. */
export function schemaText(schema: Json): string {
  const text = JSON.stringify(schema, null, 2);
  return cut(text.split('\n').map(singleLine).join('\n'), maxSchemaCharacters);
}

/** Text of a provider, line by line, so that nothing in it can move a cursor. */
export function safeText(text: string): string {
  return text
    .split('\n')
    .map((line) => cut(singleLine(line), maxLineCharacters))
    .join('\n');
}

/** The members of an array that are objects. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => isJsonObject(item)) : [];
}

/** Columns, as wide as their widest value. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Never between the two halves of one character.
  const end = /[\ud800-\udbff]$/.test(text.slice(0, max)) ? max - 1 : max;
  return `${text.slice(0, end)}…`;
}
