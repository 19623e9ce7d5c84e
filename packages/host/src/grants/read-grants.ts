import { isAbsolute } from 'node:path';
import { type ConfigurationReading, readConfiguration, type TableReader } from '../configuration/table.ts';
import { grantLimits } from '../limits.ts';
import { commandLineOf } from './command-words.ts';
import type { CommandPrefix, Endpoint, FsGrant, Grants, NetworkGrant, ShellGrant } from './grants.ts';
import { WORKSPACE } from './in-place.ts';

/** Reads one level of grants from JSON, such as the `grants` of a session's record. What is refused must count as `DENY_ALL`. */
export function readGrants(value: Readonly<Record<string, unknown>>): ConfigurationReading<Grants> {
  return readConfiguration(value, grantsIn);
}

/**
 * Reads a table of grants: `shell {allow?, deny?}`, `network {endpoints?, allow_private?}`, `fs {read?, write?}`. A key that is not known
 * refuses the whole: passed over, a typing error would leave open what it was meant to close.
 */
export function grantsIn(table: TableReader): Grants {
  table.refuseUnknown(['shell', 'network', 'fs']);
  return {
    ...(table.has('shell') ? { shell: shellIn(table.table('shell')) } : {}),
    ...(table.has('network') ? { network: networkIn(table.table('network')) } : {}),
    ...(table.has('fs') ? { fs: fsIn(table.table('fs')) } : {}),
  };
}

function shellIn(table: TableReader): ShellGrant {
  table.refuseUnknown(['allow', 'deny']);
  const allow = prefixesIn(table, 'allow');
  const deny = prefixesIn(table, 'deny');
  return { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
}

function prefixesIn(table: TableReader, key: string): readonly CommandPrefix[] | undefined {
  return table.list(key, grantLimits.entries)?.map((entry): CommandPrefix => {
    if (typeof entry === 'string') {
      const line = commandLineOf(entry);
      if (line.kind === 'words' && line.argv.length <= grantLimits.words) return line.argv;
    } else if (isWords(entry)) return entry;
    return table.refuse(key, 'must be the first words of commands, such as "git log" or ["git", "log"]');
  });
}

function isWords(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= grantLimits.words &&
    value[0] !== '' &&
    value.every((word) => typeof word === 'string' && !word.includes('\0') && isWithinText(word))
  );
}

function fsIn(table: TableReader): FsGrant {
  table.refuseUnknown(['read', 'write']);
  const read = pathsIn(table, 'read');
  const write = pathsIn(table, 'write');
  return { ...(read === undefined ? {} : { read }), ...(write === undefined ? {} : { write }) };
}

function pathsIn(table: TableReader, key: string): readonly string[] | undefined {
  return table.list(key, grantLimits.entries)?.map((entry) => {
    if (typeof entry === 'string' && isWithinText(entry) && isGrantPath(entry)) return entry;
    return table.refuse(key, `must be absolute paths, or ${WORKSPACE}, or paths below it without ".."`);
  });
}

function isGrantPath(path: string): boolean {
  if (path.includes('\0')) return false;
  if (path === WORKSPACE) return true;
  if (path.startsWith(`${WORKSPACE}/`)) return !path.split(/[\\/]/).includes('..');
  return isAbsolute(path);
}

function networkIn(table: TableReader): NetworkGrant {
  table.refuseUnknown(['endpoints', 'allow_private']);
  const example = 'endpoints = [{ host = "api.example.com" }]';
  const endpoints = table.has('endpoints')
    ? table.tables('endpoints', grantLimits.entries, example).map(endpointIn)
    : undefined;
  return {
    ...(endpoints === undefined ? {} : { endpoints }),
    allowPrivate: table.flag('allow_private') ?? false,
  };
}

function endpointIn(table: TableReader): Endpoint {
  table.refuseUnknown(['host', 'path_prefix', 'methods']);
  const problem = 'must be a host, "*." and a domain, or "*"; without scheme, port or path';
  const written = table.text('host', grantLimits.hostBytes, problem) ?? table.refuse('host', problem);
  const host = hostAsInUrl(written) ?? table.refuse('host', problem);
  const pathPrefix = pathPrefixIn(table);
  const methods = table.list('methods', grantLimits.entries)?.map((method) => {
    if (typeof method === 'string' && /^[A-Za-z]{1,32}$/.test(method)) return method.toUpperCase();
    return table.refuse('methods', 'must be names of methods, such as "GET"');
  });
  return {
    host,
    ...(pathPrefix === undefined ? {} : { pathPrefix }),
    ...(methods === undefined ? {} : { methods: [...new Set(methods)].sort() }),
  };
}

/** A host as a URL would have it, so that every notation of one address or name is one host. */
function hostAsInUrl(written: string): string | undefined {
  if (written === '*') return written;
  const wild = written.startsWith('*.');
  const name = wild ? written.slice(2) : written;
  if (/[*/?#@\\\s]/.test(name)) return undefined;
  const bracketed = /^[0-9a-f.:]*:[0-9a-f.:]*:[0-9a-f.:]*$/i.test(name) ? `[${name}]` : name;
  // A port that is the usual one would not be seen any more in what a URL makes of it.
  if (/:\d*$/.test(bracketed)) return undefined;
  const url = URL.canParse(`http://${bracketed}/`) ? new URL(`http://${bracketed}/`) : undefined;
  const host = url?.hostname.replace(/\.$/, '');
  if (host === undefined || host === '' || url?.port !== '') return undefined;
  if (wild && (host.startsWith('[') || /^[\d.]+$/.test(host))) return undefined;
  return wild ? `*.${host}` : host;
}

function pathPrefixIn(table: TableReader): string | undefined {
  const problem = 'must be a path from its first slash on, without query, "..", "//" or encoded slashes';
  const written = table.text('path_prefix', grantLimits.pathBytes, problem);
  if (written === undefined) return undefined;
  if (!written.startsWith('/')) table.refuse('path_prefix', problem);
  const { pathname } = new URL(`http://host${written}`);
  const isPlain = !/[?#\\]/.test(written) && !/%(?:25)*(?:2f|5c|2e|00)|\\|\/\/|;/i.test(pathname);
  if (!isPlain || /(?:^|\/)\.{1,2}(?:\/|$)/.test(written)) table.refuse('path_prefix', problem);
  const prefix = pathname.replace(/\/$/, '');
  return prefix === '' ? undefined : prefix;
}

function isWithinText(text: string): boolean {
  return Buffer.byteLength(text) <= grantLimits.textBytes;
}
