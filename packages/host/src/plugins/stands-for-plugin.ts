import { isJsonObject, type JsonObject } from '@fairlead/base';
import type { LiveTool } from '@fairlead/hub';
import type { StandsFor } from '../calls/call-floor.ts';
import type { HostPlugins } from './host-plugins.ts';

/**
 * The plugin's tool behind an agent's `plugin_tool` call: what a person is asked about, and what an approval binds, is that tool and not the handle. So
 * an approval for a turn holds for one tool, and a fresh binding of the same observation finds its decision.
 */
export function standsForPlugin(
  plugins: Pick<HostPlugins, 'words'>,
  { owner, name }: Pick<LiveTool, 'owner' | 'name'>,
  args: JsonObject,
): StandsFor | undefined {
  if (owner !== 'plugins' || name !== 'plugin_tool' || args['action'] !== 'call') return undefined;
  const words = plugins.words(args);
  const given = args['arguments'];
  if (words === undefined || !isJsonObject(given ?? null)) return undefined;
  const { tier, target, arguments: shown } = words;
  return { tier, target, arguments: shown, digested: given as JsonObject };
}
