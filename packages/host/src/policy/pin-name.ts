import { foreignToolName } from '@fairlead/hub';
import type { TableReader } from '../configuration/table.ts';
import { pluginLimits } from '../limits.ts';

/** The name of a pin toward models, as it is written or follows from plugin and tool; undefined where the table has neither. */
export function pinName(table: TableReader): string | undefined {
  const word = (key: string) => table.text(key, pluginLimits.text, 'must be a name on one line');
  const [as, plugin, tool] = [word('as'), word('plugin'), word('tool')];
  return as ?? (plugin === undefined || tool === undefined ? undefined : foreignToolName(plugin, tool));
}
