import type { ExtensionRef } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import type { Report } from '../report.ts';
import { type FoldOptions, newestEvents } from './newest-events.ts';

/** An extension as a log names it. */
export interface Activation {
  readonly name: string;
  readonly ref: ExtensionRef;
}

/** What a session has switched on, by name, with the ref that was written. */
export async function readActive(
  session: Database,
  options: FoldOptions = {},
): Promise<ReadonlyMap<string, ExtensionRef>> {
  const active = new Map<string, ExtensionRef>();
  for (const event of (await newestEvents(session, options)).values())
    if (event.kind === 'activated') active.set(event.name, event.ref);
  return active;
}

/** What an agent has opted out of: names whose newest switch in the agent's log is off, or cannot be read. */
export async function readOptOuts(agent: Database, options: FoldOptions = {}): Promise<ReadonlySet<string>> {
  const off = new Set<string>();
  for (const event of (await newestEvents(agent, options)).values())
    if (event.kind !== 'activated') off.add(event.name);
  return off;
}

/**
 * What is on for an agent in a session: the session's set without the agent's opt-outs. An agent never adds. `atMs` is taken in
 * each log by the clocks of those who wrote it, and answered from what has arrived here.
 */
export async function effectiveSet(
  logs: { readonly session: Database; readonly agent?: Database },
  options: { readonly asOf?: { readonly atMs: number }; readonly report?: Report } = {},
): Promise<ReadonlyMap<string, ExtensionRef>> {
  const active = await readActive(logs.session, options);
  if (logs.agent === undefined) return active;
  const off = await readOptOuts(logs.agent, options);
  return new Map([...active].filter(([name]) => !off.has(name)));
}
