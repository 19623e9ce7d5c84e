import { posix, win32 } from 'node:path';
import { hasControlCharacter } from '@fairlead/base';
import type { TextRule } from './config-table.ts';

/** Between `min` and `max` bytes of UTF-8, without NUL. */
export function bytes(min: number, max: number): TextRule {
  return (text) => {
    const length = Buffer.byteLength(text);
    if (length < min || length > max) return `must have ${min} to ${max} bytes`;
    return text.includes('\0') ? 'must not hold a NUL character' : null;
  };
}

/** A text that people read: not blank, no control character but LF, CR and TAB. */
export function label(maxBytes: number): TextRule {
  const length = bytes(1, maxBytes);
  return (text) => {
    if (text.trim() === '') return 'must not be blank';
    if (hasControlCharacter(text)) return 'must not hold control characters';
    return length(text);
  };
}

/** An absolute path on `platform`, at most `maxBytes` bytes. */
export function absolutePath(maxBytes: number, platform: NodeJS.Platform): TextRule {
  const length = bytes(1, maxBytes);
  const absolute = platform === 'win32' ? win32.isAbsolute : posix.isAbsolute;
  return (text) => (absolute(text) ? length(text) : 'must be an absolute path');
}

/** An `http:` or `https:` URL without credentials in it. */
export const serverUrl: TextRule = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https URL';
  return url.username === '' && url.password === '' ? null : 'must not hold a user name or password';
};
