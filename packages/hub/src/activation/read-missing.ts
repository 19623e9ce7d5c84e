import type { ExtensionRef } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { activationLimits } from '../limits.ts';
import { type Activation, readActive } from './active-set.ts';
import type { FoldOptions } from './newest-events.ts';

/** What is switched on and not installed here, with the ref under which it can be fetched. */
export interface Missing {
  /** The first 1,000 by name. */
  readonly extensions: readonly Activation[];
  /** How many more there are. */
  readonly more: number;
}

/** What a session has on and this peer does not have. It reads the newest row of every name: for a person, not for a turn. */
export async function readMissing(
  session: Database,
  installed: { has(name: string): boolean },
  options: Pick<FoldOptions, 'report'> = {},
): Promise<Missing> {
  return missing(await readActive(session, options), installed);
}

/** The same of a set that was read. */
export function missing(
  active: ReadonlyMap<string, ExtensionRef>,
  installed: { has(name: string): boolean },
): Missing {
  const names = [...active.keys()].filter((name) => !installed.has(name)).sort();
  const shown = names.slice(0, activationLimits.maxMissing);
  const extensions = shown.flatMap((name) => {
    const ref = active.get(name);
    return ref === undefined ? [] : [{ name, ref }];
  });
  return { extensions, more: names.length - extensions.length };
}
