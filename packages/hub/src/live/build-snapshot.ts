import type { ScopeKind } from '@fairlead/extension';
import type { FiredKind } from '@fairlead/extension/runtime';
import type { Failure } from '../failures/failure.ts';
import type { Installed } from '../install/installed.ts';
import type { FailedExtension } from '../install/roster.ts';
import type { LiveInstance } from '../instances/live-instance.ts';
import type { Engine } from './engine.ts';
import { type AbsentGate, HookGathering } from './hook-lists.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LiveSession } from './live-session.ts';
import type { Absent, LiveSnapshot, Refused } from './live-snapshot.ts';
import { type Admitted, admitMembers, type Member, type Waiting } from './members.ts';
import { nameTable, shadowedIn } from './name-table.ts';
import type { PreparedInstance, PreparedInstances } from './prepared-instance.ts';
import { World } from './world.ts';

/** An extension that is installed and does not run, with its place in install order. */
export type FailedRow = FailedExtension & { readonly order: number };

export interface SnapshotParts {
  readonly version: string;
  readonly engine: Engine;
  readonly session: LiveSession;
  readonly agent: LiveAgent | undefined;
  /** In install order. */
  readonly installed: readonly Installed[];
  readonly failed: readonly FailedRow[];
  readonly active: { has(name: string): boolean };
  readonly optOuts: ReadonlySet<string>;
  /** By scope, each in install order. */
  readonly instances: Readonly<Record<ScopeKind, readonly LiveInstance[]>>;
  readonly prepared: PreparedInstances;
  failureOf(name: string, scope: ScopeKind): Failure | undefined;
}

/** Puts a live set together: no wait, no read, no state but its arguments. */
export function buildSnapshot(parts: SnapshotParts): LiveSnapshot {
  const { engine, session, agent, optOuts } = parts;
  const { active, inactive } = activeMembers(parts);
  const person = admitMembers(active);
  const turn = active.some(({ installed }) => optOuts.has(installed.name))
    ? admitMembers(active.filter(({ installed }) => !optOuts.has(installed.name)))
    : person;
  const turnWorld = new World({ engine, caps: turn.caps, session, agent });
  const tools = nameTable(partsOf(turn).map((part) => part.tools));
  const people = partsOf(person);
  const commands = nameTable(people.map((part) => part.commands));
  return {
    version: parts.version,
    isOwn: parts.instances.session.length + parts.instances.agent.length > 0,
    turn: turnWorld,
    person: turn === person ? turnWorld : new World({ engine, caps: person.caps, session, agent }),
    tools: tools.entries,
    commands: commands.entries,
    fired: firedBy(turn, turnWorld, failedGates(parts)),
    shadowed: [...shadowedIn('tool', tools), ...shadowedIn('command', commands)],
    refused: refusedOf(people),
    waiting: waitingOf(parts, turn),
    absent: absentOf(parts, { active, inactive }, person),
  };
}

function partsOf({ members }: Admitted): readonly PreparedInstance[] {
  const all: PreparedInstance[] = [];
  for (const { parts } of members) for (const part of parts) all.push(part);
  return all;
}

function refusedOf(parts: readonly PreparedInstance[]): readonly Refused[] {
  const refused: Refused[] = [];
  for (const { instance } of parts)
    for (const one of instance.refused) refused.push({ ...one, extension: instance.extension.name });
  return refused;
}

interface Sorted {
  readonly active: readonly Member[];
  readonly inactive: readonly Installed[];
}

function activeMembers(parts: SnapshotParts): Sorted {
  const scopes = SCOPES.filter((scope) => scope !== 'agent' || parts.agent !== undefined);
  const cursors = scopes.map((scope) => new Cursor(scope, parts.instances[scope]));
  const active: Member[] = [];
  const inactive: Installed[] = [];
  for (const installed of parts.installed) {
    if (!parts.active.has(installed.name)) {
      inactive.push(installed);
      continue;
    }
    const living: PreparedInstance[] = [];
    let lacks = NONE;
    for (const cursor of cursors) {
      const instance = cursor.take(installed);
      const prepared =
        instance === undefined || instance.gone !== undefined ? undefined : parts.prepared.of(instance);
      if (prepared !== undefined) living.push(prepared);
      else if (installed.manifest.scopes.includes(cursor.scope))
        lacks = [...lacks, lackOf(parts, installed, cursor.scope)];
    }
    active.push({ installed, parts: living, lacks });
  }
  return { active, inactive };
}

const NONE: readonly Waiting[] = Object.freeze([]);

const SCOPES: readonly ScopeKind[] = ['global', 'agent', 'session'];

/** Goes through the instances of a scope beside the extensions: both stand in install order. */
class Cursor {
  readonly scope: ScopeKind;
  readonly #instances: readonly LiveInstance[];
  #next = 0;

  constructor(scope: ScopeKind, instances: readonly LiveInstance[]) {
    this.scope = scope;
    this.#instances = instances;
  }

  /** The instance of this very generation. */
  take(installed: Installed): LiveInstance | undefined {
    for (;;) {
      const instance = this.#instances[this.#next];
      if (instance === undefined || instance.extension.order > installed.order) return undefined;
      this.#next += 1;
      if (instance.extension === installed) return instance;
    }
  }
}

function lackOf(parts: SnapshotParts, { name, gone }: Installed, scope: ScopeKind): Waiting {
  if (gone !== undefined) return { extension: name, scope, code: gone.code, reason: gone.reason };
  const failure = parts.failureOf(name, scope);
  if (failure === undefined)
    return { extension: name, scope, code: 'extension_ended', reason: 'its instance has ended' };
  return { extension: name, scope, code: failure.code, reason: failure.reason };
}

function firedBy(
  { members, unmet }: Admitted,
  world: World,
  failed: readonly (AbsentGate & { readonly order: number })[],
): LiveSnapshot['fired'] {
  const gathering = new HookGathering(world);
  const absent = [...failed];
  for (const [{ installed }, { reason }] of unmet) absent.push(...absentGate(installed, reason));
  for (const { installed, lacks } of members)
    if (lacks[0] !== undefined) absent.push(...absentGate(installed, lacks[0].reason));
  absent.sort((one, other) => one.order - other.order);
  let next = 0;
  for (const { installed, parts } of members) {
    for (let gate = absent[next]; gate !== undefined && gate.order <= installed.order; gate = absent[next]) {
      gathering.addAbsent(gate);
      next += 1;
    }
    for (const part of parts) gathering.add(part);
  }
  for (const gate of absent.slice(next)) gathering.addAbsent(gate);
  const lists = FIRED.map((kind) => [kind, gathering.list(kind)] as const);
  return Object.fromEntries(lists) as unknown as LiveSnapshot['fired'];
}

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
): readonly (AbsentGate & { readonly order: number })[] {
  return manifest.hooks.includes('tool_call') ? [{ owner: name, gates: manifest.gates, reason, order }] : [];
}

function failedGates({ failed, active, optOuts }: SnapshotParts) {
  return failed.flatMap(({ name, manifest, reason, order }) =>
    manifest !== undefined && active.has(name) && !optOuts.has(name)
      ? absentGate({ name, manifest, order }, reason)
      : [],
  );
}

function absentOf({ failed, active, optOuts }: SnapshotParts, sorted: Sorted, person: Admitted): Absent[] {
  const absent: Absent[] = [];
  for (const { manifest } of sorted.inactive) absent.push({ manifest, why: 'off', reason: '' });
  for (const { name, manifest, reason } of failed)
    if (manifest !== undefined)
      absent.push(
        active.has(name) ? { manifest, why: 'waiting', reason } : { manifest, why: 'off', reason: '' },
      );
  for (const member of sorted.active) {
    const { manifest, name } = member.installed;
    const waiting = person.unmet.get(member) ?? member.lacks[0];
    if (waiting !== undefined) absent.push({ manifest, why: 'waiting', reason: waiting.reason });
    else if (optOuts.has(name)) absent.push({ manifest, why: 'opted_out', reason: '' });
  }
  return absent;
}

function waitingOf({ failed, active, optOuts }: SnapshotParts, { members, unmet }: Admitted): Waiting[] {
  return [
    ...failed
      .filter(({ name }) => active.has(name) && !optOuts.has(name))
      .map(({ name, code, reason }) => ({ extension: name, code, reason })),
    ...unmet.values(),
    ...members.flatMap(({ lacks }) => lacks),
  ];
}
