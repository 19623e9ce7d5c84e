import { type ConfigurationReading, readConfiguration, type TableReader } from '../configuration/table.ts';
import type { Grants } from '../grants/grants.ts';
import { grantsIn } from '../grants/read-grants.ts';
import type { LeakPolicy } from '../leaks/screen-result.ts';
import { pluginLimits, policyLimits, rateLimits } from '../limits.ts';
import { pinName } from './pin-name.ts';
import type { PolicyWords } from './tool-policy.ts';

/** What `[policy]` says of tools; `authority` and `agent_state` are read elsewhere. */
export interface PolicySettings {
  readonly leak: LeakPolicy;
  /** Names of tools, or beginnings of names before `*`; for `autoApproves`. */
  readonly autoApprove: readonly string[];
  /** `[policy.tools.NAME]`, by name. */
  readonly tools: ReadonlyMap<string, PolicyWords>;
  /** What the entries of MCP servers say of their tools, by the server's extension. */
  readonly sources?: ReadonlyMap<string, SourcePolicy>;
  /** `[policy.grants]`, the ceiling of new sessions; for `sessionGrants`. */
  readonly grants: Grants;
}

/** What an operator says of the tools of one source: of all, and of single ones by the name that the source has for them. */
export interface SourcePolicy {
  readonly words: PolicyWords;
  readonly tools: ReadonlyMap<string, PolicyWords>;
}

/** The keys of `fairlead.toml` that are read here. */
export const policyKeys: readonly string[] = [
  'policy.leak',
  'policy.auto_approve',
  'policy.tools',
  'policy.grants',
];

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const TOOL_PATTERN = /^(?:[A-Za-z0-9_-]{1,64}|[A-Za-z0-9_-]{0,63}\*)$/;

/**
 * Reads `[policy]` of a parsed `fairlead.toml`. Under `tools` and `grants` a key that is not known refuses the file: whoever misspells
 * `approval` must not end up with a tool that runs unasked.
 */
export function readPolicy(
  document: Readonly<Record<string, unknown>>,
): ConfigurationReading<PolicySettings> {
  return readConfiguration(document, (root) => {
    const policy = root.table('policy');
    const tools = policy.table('tools');
    const names = tools.keys();
    if (names.length > policyLimits.tools)
      policy.refuse('tools', `must not have more than ${policyLimits.tools}`);
    return {
      leak: policy.word('leak', ['redact', 'block']) ?? 'redact',
      autoApprove: namesIn(policy, 'auto_approve', policyLimits.autoApprove, TOOL_PATTERN) ?? [],
      tools: new Map(
        names.map((name) => {
          if (!TOOL_NAME.test(name)) tools.refuse(name, 'must be the name of a tool');
          const table = tools.table(name);
          table.refuseUnknown(policyWordKeys);
          return [name, policyWordsIn(table)];
        }),
      ),
      ...serverPolicies(root),
      grants: grantsIn(policy.table('grants')),
    };
  });
}

/** The policy keys of `[[mcp.servers]]`; what else stands there is read elsewhere, names that cannot be used are refused there. */
function serverPolicies(root: TableReader): Pick<PolicySettings, 'sources'> {
  const pins = pinPolicies(root);
  const servers = root.table('mcp').tables('servers', policyLimits.servers, '[[mcp.servers]]');
  if (servers.length === 0 && pins.size === 0) return {};
  const sources = new Map(
    servers.flatMap((server): [string, SourcePolicy][] => {
      const name = server.text('name', 32, 'must be a name');
      if (name === undefined) return [];
      const tools = server.table('tools');
      const names = tools.keys();
      if (names.length > policyLimits.tools)
        server.refuse('tools', `must not have more than ${policyLimits.tools}`);
      const words = new Map(
        names.map((tool) => {
          const table = tools.table(tool);
          table.refuseUnknown(policyWordKeys);
          return [tool, policyWordsIn(table)];
        }),
      );
      return [[`mcp-${name}`, { words: policyWordsIn(server), tools: words }]];
    }),
  );
  if (pins.size > 0) sources.set('plugins', { words: {}, tools: pins });
  return { sources };
}

/** The policy keys of `[[plugins.pinned]]`, by the name toward models; what else stands there is read elsewhere. */
function pinPolicies(root: TableReader): ReadonlyMap<string, PolicyWords> {
  const pins = root.table('plugins').tables('pinned', pluginLimits.pins, '[[plugins.pinned]]');
  return new Map(
    pins.flatMap((pin): [string, PolicyWords][] => {
      const name = pinName(pin);
      return name === undefined ? [] : [[name, policyWordsIn(pin)]];
    }),
  );
}

/** The keys of one tool's policy, under `[policy.tools.NAME]` and in the entry of an MCP server or a pin. */
export const policyWordKeys: readonly string[] = [
  ...['risk', 'approval', 'effect', 'timeout_secs', 'rate_per_minute', 'sensitive', 'grants'],
];

/** Reads those keys, and leaves the table's others alone. */
export function policyWordsIn(table: TableReader): PolicyWords {
  const timeoutSecs = table.whole('timeout_secs', 1, policyLimits.timeoutSecsMax);
  return withoutAbsent({
    risk: table.word('risk', ['low', 'medium', 'high']),
    approval: table.word('approval', ['never', 'unless_auto_approved', 'always']),
    effect: table.word('effect', ['read', 'records', 'write']),
    timeoutMs: timeoutSecs === undefined ? undefined : timeoutSecs * 1000,
    perMinute: table.whole('rate_per_minute', 0, rateLimits.perMinuteMax),
    sensitive: namesIn(table, 'sensitive', policyLimits.sensitive, /^[^\p{Cc}]{1,128}$/u),
    grants: table.has('grants') ? grantsIn(table.table('grants')) : undefined,
  });
}

/** True where the list of `auto_approve` holds the tool. */
export function autoApproves(list: readonly string[], tool: string): boolean {
  return list.some((entry) => (entry.endsWith('*') ? tool.startsWith(entry.slice(0, -1)) : entry === tool));
}

function namesIn(table: TableReader, key: string, max: number, pattern: RegExp): string[] | undefined {
  return table.list(key, max)?.map((name) => {
    if (typeof name === 'string' && pattern.test(name)) return name;
    return table.refuse(key, 'must be a list of names');
  });
}

function withoutAbsent<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
