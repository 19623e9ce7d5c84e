import { keptLimits } from '../limits.ts';

/** Bytes of a plugin as a person may see them: printable ASCII, the rest escaped, cut where they are long. */
export function shownBytes(bytes: Uint8Array, maxBytes: number = keptLimits.shownBytes): string {
  const kept = bytes.subarray(0, maxBytes);
  let text = '';
  for (const byte of kept) {
    if (byte === 0x0a) text += '\\n';
    else if (byte === 0x0d) text += '\\r';
    else if (byte === 0x09) text += '\\t';
    else if (byte < 0x20 || byte > 0x7e) text += `\\x${byte.toString(16).padStart(2, '0')}`;
    else text += String.fromCharCode(byte);
  }
  return bytes.length > maxBytes ? `${text}… (${bytes.length} bytes)` : text;
}

/** A value of a plugin as a person may see it. */
export function shownValue(value: unknown): string {
  return value === undefined ? 'nothing' : shownBytes(Buffer.from(JSON.stringify(value) ?? 'nothing'));
}
