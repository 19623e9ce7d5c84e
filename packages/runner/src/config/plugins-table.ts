import { providerLimits, timeoutLimits } from '@fairlead/protocol';
import { limits } from '../limits.ts';
import type { ConfigTable, TextRule } from './config-table.ts';
import { nameRules } from './names.ts';
import { bytes } from './text-rules.ts';

/** One `[[plugins.providers]]`. */
export type ProviderConfig = {
  readonly id: string;
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute; absent = the Runner's own. */
  readonly cwd?: string;
  /** A name in `[shell.profiles]`; absent = the default profile, or none. */
  readonly profile?: string;
  /** The budget of initialize, of tools/list and of each call. */
  readonly timeoutMs: number;
  /** Budgets of single tools, by name, where they differ. */
  readonly toolTimeoutMs: ReadonlyMap<string, number>;
  /** Calls that may wait while another is in flight. */
  readonly maxQueued: number;
  readonly isolation: 'none' | 'pid';
};

/** `[plugins]`. */
export type PluginsConfig = {
  readonly requestTimeoutSecs: number;
  readonly providers: readonly ProviderConfig[];
};

type Context = {
  readonly profiles: ReadonlyMap<string, unknown>;
  /** What a `cwd` must be on this platform. */
  readonly cwd: TextRule;
};

const ISOLATIONS = ['none', 'pid'] as const;

/** Reads `[plugins]` and its providers. */
export function readPlugins(table: ConfigTable, context: Context): PluginsConfig {
  const requestTimeoutSecs = seconds(table, 'request_timeout_secs') ?? timeoutLimits.defaultSecs;
  const tables = table.tables('providers');
  if (tables.length > providerLimits.maxProviders) {
    table.fault('providers', `must be at most ${providerLimits.maxProviders}`);
  }
  const providers: ProviderConfig[] = [];
  for (const entry of tables) {
    const provider = readProvider(entry, context, requestTimeoutSecs);
    if (provider === undefined) continue;
    if (providers.some((other) => other.id === provider.id))
      entry.fault('id', 'is used by another provider above');
    providers.push(provider);
  }
  table.finish();
  return { requestTimeoutSecs, providers };
}

function readProvider(
  table: ConfigTable,
  context: Context,
  requestTimeoutSecs: number,
): ProviderConfig | undefined {
  const id = table.requiredText('id', nameRules.providerId);
  const name = table.requiredText('name', nameRules.providerName);
  const command = table.requiredText('command', bytes(1, limits.commandMaxBytes));
  const args = table.texts('args', bytes(0, limits.argumentMaxBytes)) ?? [];
  checkArguments(table, args);
  const cwd = table.text('cwd', context.cwd);
  const profile = table.text('profile', (text) =>
    context.profiles.has(text) ? null : 'names a profile that is not in the file',
  );
  const timeoutSecs = seconds(table, 'timeout_secs') ?? requestTimeoutSecs;
  const toolTimeoutMs = readToolTimeouts(table);
  const maxQueued = table.wholeNumber('max_queued', 0, limits.queuedMax) ?? 0;
  const isolation = table.oneOf('isolation', ISOLATIONS) ?? 'none';
  table.finish();
  if (id === undefined || name === undefined || command === undefined) return undefined;
  return {
    id,
    name,
    command,
    args,
    ...(cwd === undefined ? {} : { cwd }),
    ...(profile === undefined ? {} : { profile }),
    timeoutMs: timeoutSecs * 1000,
    toolTimeoutMs,
    maxQueued,
    isolation,
  };
}

function checkArguments(table: ConfigTable, args: readonly string[]): void {
  if (args.length > limits.argumentsMax)
    table.fault('args', `must have at most ${limits.argumentsMax} items`);
  const total = args.reduce((sum, argument) => sum + Buffer.byteLength(argument), 0);
  if (total > limits.argumentsMaxBytes) {
    table.fault('args', `must have at most ${limits.argumentsMaxBytes} bytes in all`);
  }
}

function readToolTimeouts(table: ConfigTable): ReadonlyMap<string, number> {
  const timeouts = new Map<string, number>();
  const entries = table.table('tool_timeout_secs');
  for (const tool of entries?.names() ?? []) {
    const wrong = nameRules.toolName(tool);
    if (wrong !== null) entries?.fault(tool, wrong);
    const secs = entries === undefined ? undefined : seconds(entries, tool);
    if (secs !== undefined) timeouts.set(tool, secs * 1000);
  }
  return timeouts;
}

function seconds(table: ConfigTable, key: string): number | undefined {
  return table.wholeNumber(key, timeoutLimits.minSecs, timeoutLimits.maxSecs);
}
