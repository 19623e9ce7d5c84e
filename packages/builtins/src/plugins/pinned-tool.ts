import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { RuntimeTool, Turn } from '@fairlead/extension';
import { callerOf } from '../define-builtin.ts';
import { allowed } from '../errors.ts';
import { pluginsLimits } from '../limits.ts';
import type { PeerPinnedTool, PluginsPeer } from '../peer/plugins-peer.ts';
import { pluginOutput } from './plugin-output.ts';

/** A tool of another program, handed on: what it is asked for and approved as is that program's. */
interface ForeignRuntimeTool<Context> extends RuntimeTool<Context> {
  readonly foreign: {
    readonly target: string;
    readonly tool: string;
    readonly hints: PeerPinnedTool['hints'];
    readonly tier: 'native';
  };
  /** `shown`: the target that was shown to who calls, and that a person may have approved. */
  run(args: JsonObject, ctx: Context, shown?: string): ReturnType<RuntimeTool<Context>['run']>;
}

/** A pin as a tool of its own. It calls what its caller was shown and nothing else, though another one may have come into its place since. */
export function pinnedTool<State>(
  peer: PluginsPeer,
  pin: PeerPinnedTool,
): ForeignRuntimeTool<Turn<Record<never, never>, Record<never, never>, State>> {
  const { name, description, inputSchema, hints, target, timeoutSecs = pluginsLimits.unseenSecs } = pin;
  return {
    name,
    about: cut(description),
    args: opened(inputSchema) as never,
    // What nobody has a word on: the hints and the operator have.
    risk: 'medium',
    approval: 'unless_auto_approved',
    timeoutMs: timeoutSecs * 1000 + pluginsLimits.marginMs,
    foreign: { target, tool: name, hints, tier: 'native' },
    async run(args, ctx, shown = target) {
      const called = { name, target: shown };
      return pluginOutput(await allowed(peer.callPinned(callerOf(ctx, name), called, args)));
    },
  };
}

/** Every object that says nothing of further members is open in a plugin's schema, and closed in an extension's. */
function opened(schema: JsonObject): JsonObject {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(schema['type'] === 'object' && schema['additionalProperties'] === undefined
      ? { additionalProperties: true }
      : {}),
    ...(isJsonObject(properties ?? null) ? { properties: openedAll(properties as JsonObject) } : {}),
    ...(isJsonObject(items ?? null) ? { items: opened(items as JsonObject) } : {}),
  };
}

function openedAll(properties: JsonObject): JsonObject {
  // `__proto__` may be the name of an argument.
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]): [string, Json] => [name, opened(schema as JsonObject)]),
  );
}

/** What an extension may say of a tool. All of it is what was approved. */
function cut(description: string): string {
  if (description.length <= pluginsLimits.about) return description;
  return `${description.slice(0, pluginsLimits.about - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
