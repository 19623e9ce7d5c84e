import { type ChangedField, configReportLimits, type FieldEffect } from '@fairlead/protocol';
import type { PluginsConfig } from '../config/plugins-table.ts';
import type { RunnerConfig } from '../config/runner-config.ts';
import type { ShellConfig } from '../config/shell-table.ts';

/** Keys that only a start of the Runner reads. */
const RESTART_ONLY: ReadonlySet<string> = new Set(['client_id', 'server_url', 'token']);

/** The project files, which belong to the configuration though they stand beside it. */
export const PROJECT_FILES_FIELD = 'project_registry_dir.*';

/** A list that is at most as long as a report may be, and how many there are. */
export type Changes = { readonly changed: readonly ChangedField[]; readonly changed_count: number };

/** The keys whose values differ between two configurations, in the order of the file's reference. Names no value. */
export function changedFields(
  before: RunnerConfig,
  after: RunnerConfig,
  more: readonly ChangedField[] = [],
): Changes {
  const left = valuesOf(before);
  const right = valuesOf(after);
  const keys = [...new Set([...left.keys(), ...right.keys()])]
    .filter((key) => left.get(key) !== right.get(key))
    .sort((one, other) => rankOf(one) - rankOf(other));
  const fields = withoutParts(keys, left, right).map((key) => key.replaceAll(SEPARATOR, '.'));
  if (isReordered(before, after)) fields.push('plugins.providers');
  const changed = [...fields.map((field) => ({ field, applies: effectOf(field) })), ...more];
  return { changed: changed.slice(0, configReportLimits.maxChanged), changed_count: changed.length };
}

/** The configuration that a reload puts in force: that of the file, but for what only a start reads. */
export function withStartPart(file: RunnerConfig, inForce: RunnerConfig): RunnerConfig {
  const { clientId: _id, serverUrl: _url, token: _token, ...live } = file;
  const { clientId, serverUrl, token } = inForce;
  return {
    ...live,
    ...(clientId === undefined ? {} : { clientId }),
    ...(serverUrl === undefined ? {} : { serverUrl }),
    ...(token === undefined ? {} : { token }),
  };
}

/** Where a whole table came or went, its own name says it: its keys are left out. */
function withoutParts(keys: readonly string[], left: Values, right: Values): string[] {
  const tables = keys.filter((key) => left.get(key) === TABLE || right.get(key) === TABLE);
  return keys.filter((key) => !tables.some((table) => key.startsWith(`${table}${SEPARATOR}`)));
}

/** The keys of the first table, then `[shell]`, then `[plugins]`. */
function rankOf(key: string): number {
  return ['shell', 'plugins'].indexOf(key.split(SEPARATOR, 1)[0] ?? '');
}

/** True where the providers that both have stand in another order. */
function isReordered(before: RunnerConfig, after: RunnerConfig): boolean {
  const left = before.plugins.providers.map(({ id }) => id);
  const right = after.plugins.providers.map(({ id }) => id);
  const ofLeft = left.filter((id) => right.includes(id));
  const ofRight = right.filter((id) => left.includes(id));
  return ofLeft.some((id, index) => id !== ofRight[index]);
}

function effectOf(field: string): FieldEffect {
  return RESTART_ONLY.has(field) ? 'restart_only' : 'live';
}

/** Path of a key to a text that is equal exactly where the value is. */
type Values = ReadonlyMap<string, string>;

/** Between the parts of a path: the names of profiles and providers may hold a dot. */
const SEPARATOR = '\0';

/** The value of a table that is there. */
const TABLE = 'table';

function valuesOf(config: RunnerConfig): Values {
  const values = new Map<string, string>();
  add(values, [], {
    client_id: config.clientId,
    display_name: config.displayName,
    server_url: config.serverUrl,
    token: config.token,
    project_registry_dir: config.projectRegistryDir,
    websocket_connect_timeout_secs: config.websocketConnectTimeoutSecs,
  });
  addShell(values, config.shell);
  addPlugins(values, config.plugins);
  return values;
}

function addShell(values: Map<string, string>, shell: ShellConfig): void {
  add(values, ['shell'], {
    default_profile: shell.defaultProfile,
    program: shell.program,
    args: shell.args,
    dialect: shell.dialect,
    path_prepend: shell.pathPrepend,
    env: sorted(shell.env),
    init_timeout_secs: shell.initTimeoutMs,
  });
  for (const [name, profile] of shell.profiles) {
    add(values, ['shell', 'profiles', name], {
      program: profile.program,
      args: profile.args,
      dialect: profile.dialect,
      env: sorted(profile.env),
      init_script: profile.initScript,
    });
  }
}

function addPlugins(values: Map<string, string>, { requestTimeoutSecs, providers }: PluginsConfig): void {
  add(values, ['plugins'], { request_timeout_secs: requestTimeoutSecs });
  for (const provider of providers) {
    add(values, ['plugins', 'providers', provider.id], {
      name: provider.name,
      command: provider.command,
      args: provider.args,
      cwd: provider.cwd,
      profile: provider.profile,
      // One that is that of all providers is not this one's.
      timeout_secs: provider.timeoutMs === requestTimeoutSecs * 1000 ? undefined : provider.timeoutMs,
      tool_timeout_secs: sorted(Object.fromEntries(provider.toolTimeoutMs)),
      max_queued: provider.maxQueued,
      isolation: provider.isolation,
    });
  }
}

function sorted(entries: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(entries).sort(([left], [right]) => (left < right ? -1 : 1));
}

function add(
  values: Map<string, string>,
  table: readonly string[],
  members: Readonly<Record<string, unknown>>,
): void {
  if (table.length > 0) values.set(table.join(SEPARATOR), TABLE);
  for (const [name, value] of Object.entries(members))
    values.set([...table, name].join(SEPARATOR), JSON.stringify(value) ?? 'absent');
}
