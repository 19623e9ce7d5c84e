import type { Fault } from '@fairlead/base';
import { extensionErrors } from '@fairlead/extension/runtime';
import { type LiveSet, LiveSetLease } from '../live/live-set.ts';
import type { LiveSnapshot } from '../live/live-snapshot.ts';
import type { LiveTool } from '../live/live-tool.ts';
import { absence } from './refusal.ts';

/** A tool of a live set, or why none of this name can be called: `tool_not_found`, or `tool_inactive` and whose it is. */
export type FoundTool =
  | { readonly ok: true; readonly tool: LiveTool }
  | { readonly ok: false; readonly fault: Fault; readonly owner?: string };

/** What `callTool` does first. */
export function findTool(set: LiveSet, name: string): FoundTool {
  const tool = set.tools.get(name);
  if (tool !== undefined) return { ok: true, tool };
  return { ok: false, ...notFound(LiveSetLease.snapshotOf(set), name) };
}

/** Why no tool of this name is in a snapshot. */
export function notFound(
  snapshot: LiveSnapshot,
  name: string,
): { readonly fault: Fault; readonly owner?: string } {
  const owner = snapshot
    .absent()
    .find(
      ({ manifest, moreTools }) =>
        moreTools.includes(name) || manifest.tools.some((tool) => tool.name === name),
    );
  if (owner !== undefined)
    return {
      fault: { code: 'tool_inactive', message: `${name} belongs to ${absence(owner)}` },
      owner: owner.manifest.name,
    };
  const { message } = extensionErrors.tool_not_found;
  return { fault: { code: 'tool_not_found', message: `${message} (${name})` } };
}
