import { type ConfigurationReading, readConfiguration, type TableReader } from '../configuration/table.ts';
import { pluginLimits } from '../limits.ts';
import { pinName } from '../policy/pin-name.ts';
import { policyWordKeys } from '../policy/read-policy.ts';

/** One `[[plugins.pinned]]` of `fairlead.toml`; its policy is read with the others. */
export interface PinTable {
  readonly runner: string;
  readonly plugin: string;
  /** As the plugin calls it. */
  readonly tool: string;
  /** As models call it. */
  readonly name: string;
  /** Names of the agents that are shown it; absent is all. */
  readonly agents?: readonly string[];
}

/** The keys of `fairlead.toml` that are read here. */
export const pinKeys: readonly string[] = ['plugins'];

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Reads `[[plugins.pinned]]` of a parsed `fairlead.toml`. A key that is not known refuses the file: a misspelt policy would be none. */
export function readPins(
  document: Readonly<Record<string, unknown>>,
): ConfigurationReading<readonly PinTable[]> {
  return readConfiguration(document, (root) => {
    const names = new Set<string>();
    const plugins = root.table('plugins');
    plugins.onlyKnown(['pinned']);
    return plugins.tables('pinned', pluginLimits.pins, '[[plugins.pinned]]').map((table) => {
      const pin = pinIn(table);
      if (names.has(pin.name)) table.refuse('as', 'must be given: another pin has this name toward models');
      names.add(pin.name);
      return pin;
    });
  });
}

function pinIn(table: TableReader): PinTable {
  table.refuseUnknown(['runner', 'plugin', 'tool', 'as', 'agents', ...policyWordKeys]);
  const word = (key: string) =>
    table.text(key, pluginLimits.text, 'must be a name on one line') ?? table.refuse(key, 'is missing');
  const [runner, plugin, tool] = [word('runner'), word('plugin'), word('tool')];
  const name = pinName(table) ?? '';
  if (!NAME.test(name)) table.refuse('as', 'must be given: a letter, then up to 63 letters, digits, - and _');
  if (name === 'plugin_tool') table.refuse('as', 'is the name of the tool that calls any plugin');
  const agents = table.list('agents', pluginLimits.agents)?.map((agent) => {
    if (typeof agent === 'string' && agent !== '') return agent;
    return table.refuse('agents', 'must be a list of names of agents');
  });
  return { ...{ runner, plugin, tool, name }, ...(agents === undefined ? {} : { agents }) };
}
