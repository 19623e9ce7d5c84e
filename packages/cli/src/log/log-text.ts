import { isJsonObject, type Json, parseJson } from '@fairlead/base';
import { logLimits } from '../limits.ts';
import { safeLine } from '../output/safe-text.ts';

const bounds = {
  maxBytes: logLimits.lineBytes,
  maxDepth: 8,
  maxNodes: 1_024,
  maxStringBytes: logLimits.lineBytes,
  maxKeyBytes: 1_024,
};

/** One line of a log for people: time (UTC), level, event, fields. What is no such line is shown as it is, made harmless. */
export function logText(line: string): string {
  const parsed = parseJson(Buffer.from(line), bounds);
  if (!parsed.ok || !isJsonObject(parsed.value)) return safeLine(line);
  const { at, level, event, ...fields } = parsed.value;
  const time = typeof at === 'number' && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : '-';
  const words = Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`);
  const word = (value: Json | undefined) => (typeof value === 'string' ? value : '-');
  return safeLine([time, word(level).padEnd(5), word(event), ...words].join(' '));
}

/** A text as it stands where it is one word; else quoted, so that it cannot look like another field. */
function fieldText(value: Json): string {
  return typeof value === 'string' && /^[^\s"=\p{C}]+$/u.test(value) ? value : JSON.stringify(value);
}
