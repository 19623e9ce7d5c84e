import type { Manifest } from '@fairlead/extension/runtime';
import type { LiveInstance } from '../instances/live-instance.ts';
import { activeMembers, type Sorted } from './active-members.ts';
import { failedGates, firedBy } from './fired-lists.ts';
import type { Absent, LiveSnapshot, Refused } from './live-snapshot.ts';
import type { OwnedCommand, OwnedTool } from './live-tool.ts';
import { type Admitted, admitMembers, type Waiting } from './members.ts';
import { type NameTable, nameTable, type Shadowed, shadowedIn } from './name-table.ts';
import type { SnapshotParts } from './snapshot-parts.ts';
import { World } from './world.ts';

/** Puts a live set together: no wait, no read, no state but its arguments. */
export function buildSnapshot(parts: SnapshotParts): LiveSnapshot {
  const { optOuts } = parts;
  const sorted = activeMembers(parts);
  const { active } = sorted;
  const person = admitMembers(active);
  const turn =
    optOuts.size > 0 && active.some(({ installed }) => optOuts.has(installed.name))
      ? admitMembers(active.filter(({ installed }) => !optOuts.has(installed.name)))
      : person;
  return new Snapshot(parts, sorted, person, turn);
}

/** What is asked of every set is put together at once, the rest when it is asked for, from what was admitted here. */
class Snapshot implements LiveSnapshot {
  readonly version: string;
  readonly isOwn: boolean;
  readonly turn: World;
  readonly person: World;
  readonly tools: ReadonlyMap<string, OwnedTool>;
  readonly commands: ReadonlyMap<string, OwnedCommand>;
  readonly waiting: readonly Waiting[];
  readonly #parts: SnapshotParts;
  readonly #sorted: Sorted;
  readonly #personal: Admitted;
  readonly #turn: Admitted;
  readonly #toolTable: NameTable<OwnedTool>;
  readonly #commandTable: NameTable<OwnedCommand>;
  #fired: LiveSnapshot['fired'] | undefined;

  constructor(parts: SnapshotParts, sorted: Sorted, personal: Admitted, turn: Admitted) {
    const { version, engine, session, agent, instances } = parts;
    this.version = version;
    this.isOwn = instances.session.length + instances.agent.length > 0;
    this.turn = new World({ engine, caps: turn.caps, session, agent });
    this.person = turn === personal ? this.turn : new World({ engine, caps: personal.caps, session, agent });
    this.#toolTable = nameTable(turn.parts.map(({ tools }) => tools));
    this.#commandTable = nameTable(personal.parts.map(({ commands }) => commands));
    this.tools = this.#toolTable.entries;
    this.commands = this.#commandTable.entries;
    this.waiting = waitingOf(parts, turn);
    this.#parts = parts;
    this.#sorted = sorted;
    this.#personal = personal;
    this.#turn = turn;
  }

  get fired(): LiveSnapshot['fired'] {
    this.#fired ??= firedBy(this.#turn, this.turn, failedGates(this.#parts));
    return this.#fired;
  }

  shadowed(): readonly Shadowed[] {
    return [...shadowedIn('tool', this.#toolTable), ...shadowedIn('command', this.#commandTable)];
  }

  refused(): readonly Refused[] {
    return this.#personal.parts.flatMap(({ instance }) => refusedOf(instance));
  }

  absent(): readonly Absent[] {
    return absentOf(this.#parts, this.#sorted, this.#personal);
  }
}

function refusedOf({ refused, extension }: LiveInstance): readonly Refused[] {
  return refused.map((one) => ({ ...one, extension: extension.name }));
}

function absentOf(parts: SnapshotParts, sorted: Sorted, person: Admitted): Absent[] {
  const { failed, active, optOuts } = parts;
  const absent: Absent[] = [];
  const of = (manifest: Manifest, why: Absent['why'], reason = '') =>
    absent.push({ manifest, moreTools: moreToolsOf(parts, manifest.name), why, reason });
  for (const { manifest } of sorted.inactive) of(manifest, 'off');
  for (const { name, manifest, reason } of failed) {
    if (manifest === undefined) continue;
    if (active.has(name)) of(manifest, 'waiting', reason);
    else of(manifest, 'off');
  }
  for (const member of sorted.active) {
    const { manifest, name } = member.installed;
    const waiting = person.unmet.get(member) ?? member.lacks[0];
    if (waiting !== undefined) of(manifest, 'waiting', waiting.reason);
    else if (optOuts.has(name)) of(manifest, 'opted_out');
  }
  return absent;
}

/** What the instances of an extension offer beyond its manifest, whether they take part or not. */
function moreToolsOf({ instances }: SnapshotParts, extension: string): readonly string[] {
  return [...instances.global, ...instances.agent, ...instances.session].flatMap((instance) =>
    instance.extension.name === extension
      ? instance.contributions.tools.flatMap((tool) => (tool.runtime ? [tool.name] : []))
      : [],
  );
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
