import type { TomlPath } from '@fairlead/base';
import { isLoopback } from '../http/host-name.ts';
import type { ConfigRow, ConfigSource, HostConfig } from './config-row.ts';
import { type ConfigWarning, knownTables, unknownKeys, unwiseValues } from './config-warnings.ts';
import { collectEnvironmentKeys } from './environment-keys.ts';
import { type HostConfigFault, invalidInFile } from './host-config-fault.ts';
import { type HostSetting, hostSettings } from './host-settings.ts';
import { isTomlTable, readTomlDocument, type TomlDocument } from './toml-document.ts';

/** Flags as the command line parsed them; an absent one says nothing. */
export type HostFlags = {
  readonly bind?: string | undefined;
  readonly port?: number | undefined;
  readonly allowRemote?: boolean | undefined;
};

/** Where to look. `isNamed`: a person named the file, so its absence is a fault. */
export type HostConfigInput = {
  readonly path: string;
  readonly isNamed?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags?: HostFlags;
  /** Tables and keys that another part of the host reads from the same file, such as `extensions`, `policy.agent_state`. */
  readonly readElsewhere?: readonly string[];
};

/** What `readHostConfig` found. */
export type HostConfigReading =
  | {
      readonly ok: true;
      readonly config: HostConfig;
      readonly rows: readonly ConfigRow[];
      /** Variables that the file names as keys: no child on this machine may inherit them. */
      readonly environmentKeys: readonly string[];
      readonly warnings: readonly ConfigWarning[];
      /** The whole file, unknown keys included; empty when there is none. */
      readonly document: Readonly<Record<string, unknown>>;
      /** What refuses a value of the file that another part of the host read: names the line and the key, not the value. */
      refuse(path: TomlPath, problem: string): HostConfigFault;
    }
  | { readonly ok: false; readonly fault: HostConfigFault };

/**
 * Reads `fairlead.toml` and lays environment and flags over it (docs/reference/configuration-host.md). Unknown keys are
 * kept and warned about; one wrong value refuses the whole. Codes: `host_config_read_failed`, `host_config_parse_failed`,
 * `host_config_invalid`, `remote_bind_refused`.
 */
export async function readHostConfig(input: HostConfigInput): Promise<HostConfigReading> {
  const read = await readTomlDocument(input.path, input.isNamed === true);
  if (!read.ok) return read;
  const { document } = read;
  const environment = collectEnvironmentKeys(document.values);
  if (!environment.ok) {
    const problem = 'must name an environment variable, and never hold the secret itself';
    return { ok: false, fault: invalidInFile(document, environment.path, problem) };
  }
  const resolved = resolve(document, input);
  if (!resolved.ok) return resolved;
  const { config, rows } = resolved;
  if (!isLoopback(config.bind) && !config.allowRemote) {
    const message = `other machines could connect to ${config.bind}, and this version has no TLS of its own`;
    return { ok: false, fault: { code: 'remote_bind_refused', message, key: 'gateway.bind' } };
  }
  return {
    ok: true,
    config,
    rows,
    environmentKeys: environment.names,
    warnings: [...unknownKeys(document, input.readElsewhere), ...unwiseValues(config, rows)],
    document: document.values,
    refuse: (path, problem) => invalidInFile(document, path, problem),
  };
}

type Resolved =
  | { readonly ok: true; readonly config: HostConfig; readonly rows: readonly ConfigRow[] }
  | { readonly ok: false; readonly fault: HostConfigFault };

function resolve(document: TomlDocument, input: HostConfigInput): Resolved {
  for (const table of knownTables().keys()) {
    if (Object.hasOwn(document.values, table) && !isTomlTable(document.values[table])) {
      return { ok: false, fault: invalidInFile(document, [table], 'must be a table') };
    }
  }
  const values: Record<string, unknown> = {};
  const rows: ConfigRow[] = [];
  for (const [name, setting] of Object.entries(hostSettings) as [keyof HostConfig, HostSetting<unknown>][]) {
    const given = findValue(name, setting, document, input);
    const reading = setting.read(given.value);
    if (!reading.ok) return { ok: false, fault: wrongValue(document, setting.key, given, reading.expected) };
    values[name] = reading.value;
    const { source, from, line } = given;
    rows.push({ key: setting.key, value: reading.value as ConfigRow['value'], source, from, line });
  }
  return { ok: true, config: values as HostConfig, rows };
}

type Given = {
  readonly value: unknown;
  readonly source: ConfigSource;
  readonly from: string | null;
  readonly line: number | null;
};

function findValue(
  name: keyof HostConfig,
  setting: HostSetting<unknown>,
  document: TomlDocument,
  input: HostConfigInput,
): Given {
  const flag = setting.flag === undefined ? undefined : input.flags?.[name as keyof HostFlags];
  if (flag !== undefined) return { value: flag, source: 'flag', from: setting.flag ?? null, line: null };
  const variable = setting.environment === undefined ? undefined : input.env[setting.environment]?.trim();
  // A blank variable is how shells and unit files say "unset".
  if (variable !== undefined && variable !== '') {
    return {
      value: setting.fromText(variable),
      source: 'environment',
      from: setting.environment ?? null,
      line: null,
    };
  }
  const [table = '', key = ''] = setting.key.split('.');
  const section = document.values[table];
  if (isTomlTable(section) && Object.hasOwn(section, key)) {
    return {
      value: section[key],
      source: 'file',
      from: null,
      line: document.lines.lineOf([table, key]) ?? 1,
    };
  }
  return { value: setting.fallback, source: 'default', from: null, line: null };
}

function wrongValue(document: TomlDocument, key: string, given: Given, expected: string): HostConfigFault {
  if (given.source === 'file') return invalidInFile(document, key.split('.'), `must be ${expected}`);
  return { code: 'host_config_invalid', message: `${given.from ?? key} must be ${expected}`, key };
}
