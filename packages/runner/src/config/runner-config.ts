import { locateTomlKeys } from '@fairlead/base';
import { timeoutLimits } from '@fairlead/protocol';
import { parse, TomlError } from 'smol-toml';
import { limits } from '../limits.ts';
import { ConfigFindings, type ConfigNote, ConfigTable } from './config-table.ts';
import { nameRules } from './names.ts';
import { type PluginsConfig, readPlugins } from './plugins-table.ts';
import { readShell, type ShellConfig } from './shell-table.ts';
import { absolutePath, bytes, serverUrl } from './text-rules.ts';

/** One `runner.toml`, parsed. See docs/reference/configuration-runner.md. */
export type RunnerConfig = {
  /** The Runner's id (`client_id`). */
  readonly clientId?: string;
  readonly displayName?: string;
  readonly serverUrl?: string;
  /** The Runner token; a secret. */
  readonly token?: string;
  /** Folder with one TOML file per project, as written: absolute, or relative to the file's own folder. */
  readonly projectRegistryDir?: string;
  readonly websocketConnectTimeoutSecs: number;
  readonly shell: ShellConfig;
  readonly plugins: PluginsConfig;
};

/** A parsed file with what was noticed in it, or why it is refused. The notes are for this machine only. */
export type ConfigReading =
  | { readonly ok: true; readonly config: RunnerConfig; readonly warnings: readonly ConfigNote[] }
  | {
      readonly ok: false;
      readonly code: 'plugin_config_parse_failed' | 'plugin_config_invalid';
      readonly faults: readonly ConfigNote[];
    };

/** What a Runner without a `runner.toml` has: no provider. */
export function emptyConfig(): RunnerConfig {
  return {
    websocketConnectTimeoutSecs: limits.connectTimeoutDefaultSecs,
    shell: {
      pathPrepend: [],
      env: {},
      profiles: new Map(),
      initTimeoutMs: limits.initTimeoutDefaultSecs * 1000,
    },
    plugins: { requestTimeoutSecs: timeoutLimits.defaultSecs, providers: [] },
  };
}

/** Keys that other files of this name have (docs/explanation/compatibility.md), and that belong to parts Fairlead does not have or configures elsewhere. */
const WITHOUT_EFFECT = [
  [
    'owner',
    'hostname',
    'host_context',
    'poll_interval_ms',
    'capabilities',
    'max_concurrent_jobs',
    'transport',
  ],
  ['policy', 'quic', 'mcp', 'ssh', 'tool_providers', 'acp', 'skills', 'instructions'],
].flat();

/** Parses the text of a `runner.toml`. `platform` decides what an absolute path is and which shells there are. */
export function parseRunnerConfig(text: string, platform: NodeJS.Platform): ConfigReading {
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch (error) {
    return { ok: false, code: 'plugin_config_parse_failed', faults: [parseNote(error)] };
  }
  const findings = new ConfigFindings(locateTomlKeys(text));
  const root = new ConfigTable(document, [], findings);
  const config = readRoot(root, platform);
  root.withoutEffect(WITHOUT_EFFECT);
  root.finish();
  if (findings.faults.length > 0)
    return { ok: false, code: 'plugin_config_invalid', faults: findings.faults };
  return { ok: true, config, warnings: findings.warnings };
}

function readRoot(root: ConfigTable, platform: NodeJS.Platform): RunnerConfig {
  const clientId = root.text('client_id', nameRules.runnerId);
  const displayName = root.text('display_name', nameRules.linkName);
  const url = root.text('server_url', serverUrl);
  const token = root.text('token', bytes(1, limits.tokenMaxBytes));
  const projectRegistryDir = root.text('project_registry_dir', bytes(1, limits.pathMaxBytes));
  const connectTimeout = root.wholeNumber('websocket_connect_timeout_secs', 1, limits.connectTimeoutMaxSecs);
  const shellTable = root.table('shell');
  const shell = shellTable === undefined ? emptyConfig().shell : readShell(shellTable);
  const pluginsTable = root.table('plugins');
  const plugins =
    pluginsTable === undefined
      ? emptyConfig().plugins
      : readPlugins(pluginsTable, {
          profiles: shell.profiles,
          cwd: absolutePath(limits.pathMaxBytes, platform),
        });
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(url === undefined ? {} : { serverUrl: url }),
    ...(token === undefined ? {} : { token }),
    ...(projectRegistryDir === undefined ? {} : { projectRegistryDir }),
    websocketConnectTimeoutSecs: connectTimeout ?? limits.connectTimeoutDefaultSecs,
    shell,
    plugins,
  };
}

function parseNote(error: unknown): ConfigNote {
  if (!(error instanceof TomlError)) return { key: 'the file', message: 'is not valid TOML' };
  // Below its first line the parser quotes the file, which may hold a token.
  const [first = ''] = error.message.split('\n');
  const reason = first.replace(/^Invalid TOML document: /, '').slice(0, limits.noteMaxCharacters);
  return { line: error.line, key: `column ${error.column}`, message: `is not valid TOML: ${reason}` };
}
