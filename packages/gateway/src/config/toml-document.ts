import { locateTomlKeys, readTextFile, type TomlLines, type TomlPath } from '@fairlead/base';
import { parse, TomlError } from 'smol-toml';
import { hostLimits } from '../limits.ts';
import type { HostConfigFault } from './host-config-fault.ts';

/** A TOML file as parsed, with the lines of its keys. An absent file is an empty document. */
export type TomlDocument = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly lines: TomlLines;
};

/** Reads and parses `fairlead.toml`. `isNamed`: a person named the file, so its absence is a fault. */
export async function readTomlDocument(
  path: string,
  isNamed: boolean,
): Promise<
  | { readonly ok: true; readonly document: TomlDocument }
  | { readonly ok: false; readonly fault: HostConfigFault }
> {
  const text = await readText(path, isNamed);
  if (typeof text !== 'string') return { ok: false, fault: text };
  try {
    return { ok: true, document: { values: parse(text), lines: locateTomlKeys(text) } };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The rest of the parser's message shows the line itself, which may hold a secret.
    const reason = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
    const message = `fairlead.toml line ${error.line}, column ${error.column}: ${reason}`;
    return { ok: false, fault: { code: 'host_config_parse_failed', message, line: error.line } };
  }
}

async function readText(path: string, isNamed: boolean): Promise<string | HostConfigFault> {
  const file = await readTextFile(path, hostLimits.fileBytes);
  if (file.ok) return file.text;
  switch (file.fault) {
    case 'absent':
      return isNamed ? readFailed('it does not exist') : '';
    case 'not_ordinary':
      return readFailed('it is not an ordinary file');
    case 'too_large':
      return readFailed('it is larger than 1 MiB');
    case 'not_utf8':
      return readFailed('it is not UTF-8');
    case 'unreadable':
      return readFailed(file.systemCode ?? 'unknown');
  }
}

function readFailed(reason: string): HostConfigFault {
  return { code: 'host_config_read_failed', message: `fairlead.toml cannot be read: ${reason}` };
}

/** True for a TOML table: dates are objects too. */
export function isTomlTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A path as a person would write it, such as `plugins.pinned[0].tool`. Odd and long names are quoted and cut. */
export function writtenPath(path: TomlPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') {
      text += `[${part}]`;
      continue;
    }
    const name = /^[A-Za-z0-9_-]{1,64}$/.test(part) ? part : JSON.stringify(part.slice(0, 64));
    text += text === '' ? name : `.${name}`;
  }
  return text;
}
