import { nearestKey, type TomlPath } from '@fairlead/base';
import { isLoopback } from '../http/host-name.ts';
import type { ConfigRow, HostConfig } from './config-row.ts';
import { authorityModes, hostSettings } from './host-settings.ts';
import { isTomlTable, type TomlDocument, writtenPath } from './toml-document.ts';

/** Something that is kept and has no effect, or is allowed and unwise. `message` is one whole sentence. */
export type ConfigWarning = {
  /** 1-based; null where it is not about a line of the file. */
  readonly line: number | null;
  readonly key: string;
  readonly message: string;
  /** The name that was most likely meant. */
  readonly nearest?: string;
};

/** The keys that this version reads, by table. */
export function knownTables(): ReadonlyMap<string, readonly string[]> {
  const tables = new Map<string, string[]>();
  for (const { key } of Object.values(hostSettings)) {
    const [table = '', name = ''] = key.split('.');
    tables.set(table, [...(tables.get(table) ?? []), name]);
  }
  return tables;
}

/**
 * One warning for each key or table that this version does not read. `readElsewhere` names those that another part of the host
 * reads: a whole table (`extensions`) or one key (`policy.agent_state`).
 */
export function unknownKeys(document: TomlDocument, readElsewhere: readonly string[] = []): ConfigWarning[] {
  const tables = knownTables();
  const warnings: ConfigWarning[] = [];
  for (const [table, section] of Object.entries(document.values)) {
    if (readElsewhere.includes(table)) continue;
    const known = tables.get(table);
    if (known === undefined) warnings.push(unknownKey(document, [table], tables.keys()));
    else if (isTomlTable(section)) {
      for (const key of Object.keys(section)) {
        if (!known.includes(key) && !readElsewhere.includes(`${table}.${key}`))
          warnings.push(unknownKey(document, [table, key], known));
      }
    }
  }
  return warnings;
}

function unknownKey(document: TomlDocument, path: TomlPath, known: Iterable<string>): ConfigWarning {
  const line = document.lines.lineOf(path) ?? 1;
  const key = writtenPath(path);
  const nearest = nearestKey(String(path.at(-1)), known);
  const fact = `fairlead.toml line ${line}: this version does not know ${key}; it is kept and has no effect`;
  return nearest === undefined
    ? { line, key, message: fact }
    : { line, key, message: `${fact} (did you mean ${nearest}?)`, nearest };
}

/** Values that are allowed and that a person should think about again. */
export function unwiseValues(config: HostConfig, rows: readonly ConfigRow[]): ConfigWarning[] {
  const lineOf = (key: string) => rows.find((row) => row.key === key)?.line ?? null;
  const warnings: ConfigWarning[] = [];
  if (!isLoopback(config.bind)) {
    const message = `other machines can connect to ${config.bind}, and nothing on the way is encrypted: whoever can watch that network can read every token; put a proxy with TLS in front`;
    warnings.push({ line: lineOf('gateway.bind'), key: 'gateway.bind', message });
  }
  if (!authorityModes.includes(config.authority)) {
    const message = `this version does not know the authority mode ${config.authority}: call, check and reload are refused`;
    const nearest = nearestKey(config.authority, authorityModes);
    warnings.push({
      line: lineOf('policy.authority'),
      key: 'policy.authority',
      message: nearest === undefined ? message : `${message} (did you mean ${nearest}?)`,
      ...(nearest === undefined ? {} : { nearest }),
    });
  }
  return warnings;
}
