import type { FiredKind } from '@fairlead/extension/runtime';
import type { Installed } from '../install/installed.ts';
import { type AbsentGate, HookGathering } from './hook-lists.ts';
import type { LiveSnapshot } from './live-snapshot.ts';
import type { Admitted } from './members.ts';
import type { SnapshotParts } from './snapshot-parts.ts';
import type { World } from './world.ts';

/** Everything that a set fires, in order; a gate that should be there and cannot be asked stands in its extension’s place. */
export function firedBy(
  { members, unmet }: Admitted,
  world: World,
  failed: readonly OrderedGate[],
): LiveSnapshot['fired'] {
  const gathering = new HookGathering(world);
  const absent = [...failed];
  for (const [{ installed }, { reason }] of unmet) absent.push(...absentGate(installed, reason));
  for (const { installed, lacks } of members)
    if (lacks[0] !== undefined) absent.push(...absentGate(installed, lacks[0].reason));
  absent.sort((one, other) => one.order - other.order);
  let next: OrderedGate | undefined = absent.shift();
  for (const { installed, parts } of members) {
    for (; next !== undefined && next.order <= installed.order; next = absent.shift())
      gathering.addAbsent(next);
    for (const part of parts) gathering.add(part);
  }
  for (; next !== undefined; next = absent.shift()) gathering.addAbsent(next);
  const lists = FIRED.map((kind) => [kind, gathering.list(kind)] as const);
  return Object.fromEntries(lists) as unknown as LiveSnapshot['fired'];
}

type OrderedGate = AbsentGate & { readonly order: number };

const FIRED: readonly FiredKind[] = [
  'before_agent_start',
  'tool_call',
  'tool_result',
  'agent_end',
  'session_start',
  'session_shutdown',
  'prompt',
  'tail',
  'status',
];

/** Which part of an extension judges is not in its manifest: while any of it is missing, all that the manifest names is denied. */
function absentGate(
  { name, manifest, order }: Pick<Installed, 'name' | 'manifest' | 'order'>,
  reason: string,
): readonly OrderedGate[] {
  return manifest.hooks.includes('tool_call') ? [{ owner: name, gates: manifest.gates, reason, order }] : [];
}

/** Gates of what is installed and does not run. */
export function failedGates({ failed, active, optOuts }: SnapshotParts): readonly OrderedGate[] {
  return failed.flatMap(({ name, manifest, reason, order }) =>
    manifest !== undefined && active.has(name) && !optOuts.has(name)
      ? absentGate({ name, manifest, order }, reason)
      : [],
  );
}
