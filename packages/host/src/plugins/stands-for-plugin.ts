import { isJsonObject, type JsonObject } from '@fairlead/base';
import type { LiveTool } from '@fairlead/hub';
import type { CallAddress, StandsFor } from '../calls/call-floor.ts';
import type { HostPlugins } from './host-plugins.ts';

/**
 * The plugin's tool behind an agent's call. Of `plugin_tool` what a person is asked about, and what an approval binds, is that tool and not the handle: so
 * an approval for a turn holds for one tool, and a fresh binding of the same observation finds its decision. For both ways the intent names the
 * Runner's process: it is asked what became of a call whose end was lost.
 */
export function standsForPlugin(
  plugins: Pick<HostPlugins, 'look' | 'placeOf'>,
  tool: LiveTool,
  args: JsonObject,
): StandsFor | undefined {
  if (tool.owner !== 'plugins') return undefined;
  const { foreign } = tool.contribution;
  if (foreign !== undefined) {
    const place = plugins.placeOf(tool.name, foreign.target);
    const pinned = { tier: 'native', target: foreign.target, arguments: args, digested: args } as const;
    return place === undefined ? pinned : { ...pinned, address: addressOf(place) };
  }
  const looked = args['action'] === 'call' ? plugins.look(args) : undefined;
  const given = args['arguments'] ?? null;
  if (looked === undefined || !isJsonObject(given)) return undefined;
  const { tier, target, arguments: shown } = looked.words;
  const { runner, runnerInstance, plugin, tool: name } = looked.subject;
  const known = { tier, target, arguments: shown, digested: given };
  return runner === undefined || runnerInstance === undefined || plugin === undefined || name === undefined
    ? known
    : { ...known, address: { runner, runnerInstance, plugin, tool: name } };
}

function addressOf({ runner, runnerInstance, plugin, tool }: CallAddress): CallAddress {
  return { runner, runnerInstance, plugin, tool };
}
