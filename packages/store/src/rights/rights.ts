import { isJsonObject, type Json, jsonEqual } from '@fairlead/base';
import { MAX_STANDING_ROUNDS } from '../limits.ts';
import type { Level, SettingsChange } from '../log/op.ts';
import { comparePositions, type Position } from '../log/position.ts';
import { isRole, type Role, type Standing, suffices } from './role.ts';
import { type StandingChange, sameChange, standingAt, standingChange } from './timeline.ts';

/** A commit that changes the settings, or begins the database. */
export type SettingsCommit = Position & {
  readonly peer: string;
  readonly changes: readonly SettingsChange[];
  readonly isGenesis: boolean;
};

type Timelines = ReadonlyMap<string, readonly StandingChange[]>;

/** Everybody's rights in one database: a pure function of its settings commits, whatever order they came in. */
export class Rights {
  readonly #timelines: Timelines;
  readonly #counted: ReadonlySet<SettingsCommit>;
  readonly #inOrder: readonly SettingsCommit[];
  readonly #everNamedAdmin: ReadonlySet<string>;

  private constructor(log: readonly SettingsCommit[], pass: Pass) {
    this.#timelines = pass.timelines;
    this.#counted = pass.counted;
    this.#inOrder = log.filter((commit) => pass.counted.has(commit));
    this.#everNamedAdmin = namedAdmins(log);
  }

  /**
   * Folds the commits in (hlc, author, seq) order. One counts if its peer is admin in the fold so far and no counted
   * change of that peer cuts it off. A cut may reach back behind what was already folded, so the fold is repeated with the
   * cuts of the round before until it stands. Commits that keep each other from standing are all left out.
   */
  static fold(commits: readonly SettingsCommit[]): Rights {
    const log = [...commits].sort(comparePositions);
    const refused = new Set<SettingsCommit>();
    for (;;) {
      const rounds = foldUntilStable(log, refused);
      const last = rounds.at(-1) as Pass;
      if (rounds.length < MAX_STANDING_ROUNDS) return new Rights(log, last);
      const late = rounds.slice(MAX_STANDING_ROUNDS / 2);
      for (const commit of log) {
        const counted = late.filter((round) => round.counted.has(commit)).length;
        if (counted > 0 && counted < late.length) refused.add(commit);
      }
    }
  }

  /** The newest settings commit that counts, at or below `hlc`; undefined where there is none. */
  newest(hlc = Number.POSITIVE_INFINITY): SettingsCommit | undefined {
    for (let index = this.#inOrder.length - 1; index >= 0; index -= 1) {
      const commit = this.#inOrder[index] as SettingsCommit;
      if (commit.hlc <= hlc) return commit;
    }
    return undefined;
  }

  counts(commit: SettingsCommit): boolean {
    return this.#counted.has(commit);
  }

  /** What the peer had when it wrote the commit. */
  standingAt(peer: string, commit: Position): Standing {
    return standingAt(this.#timelines.get(peer) ?? [], commit);
  }

  /** Whether an ordinary commit (level below 3) is applied. */
  allows(peer: string, commit: Position, level: Level): boolean {
    return suffices(this.standingAt(peer, commit), level);
  }

  /** What the peer has now. */
  standingOf(peer: string): Standing {
    return this.#timelines.get(peer)?.at(-1)?.standing ?? 'none';
  }

  /** The peer's last change of standing; undefined for one that never had any. */
  lastChange(peer: string): StandingChange | undefined {
    return this.#timelines.get(peer)?.at(-1);
  }

  /** Peers that have a role now. */
  grants(): { readonly peer: string; readonly role: Role }[] {
    return [...this.#timelines].flatMap(([peer, changes]) => {
      const standing = changes.at(-1)?.standing;
      return isRole(standing) ? [{ peer, role: standing }] : [];
    });
  }

  /** Whether any settings commit, counted or not, names the peer admin: then its settings commits may matter to the fold. */
  wasNamedAdmin(peer: string): boolean {
    return this.#everNamedAdmin.has(peer);
  }

  /** What of each peer's timeline differs between two folds: whose commits must be judged again. */
  differences(other: Rights): ReadonlyMap<string, readonly StandingChange[]> {
    const differing = new Map<string, readonly StandingChange[]>();
    for (const peer of new Set([...this.#timelines.keys(), ...other.#timelines.keys()])) {
      const mine = this.#timelines.get(peer) ?? [];
      const theirs = other.#timelines.get(peer) ?? [];
      let same = 0;
      while (
        same < mine.length &&
        same < theirs.length &&
        sameChange(mine[same] as StandingChange, theirs[same] as StandingChange)
      )
        same += 1;
      const rest = [...mine.slice(same), ...theirs.slice(same)];
      if (rest.length > 0) differing.set(peer, rest);
    }
    return differing;
  }
}

type Pass = { readonly counted: ReadonlySet<SettingsCommit>; readonly timelines: Timelines };

/** The rounds of one fold: stable where there are fewer than the most. */
function foldUntilStable(
  log: readonly SettingsCommit[],
  refused: ReadonlySet<SettingsCommit>,
): readonly Pass[] {
  const rounds: Pass[] = [];
  let before: Pass = { counted: new Set(), timelines: new Map() };
  while (rounds.length < MAX_STANDING_ROUNDS) {
    const round = foldOnce(log, refused, before.timelines);
    if (rounds.length > 0 && sameCounted(round, before)) return rounds;
    rounds.push(round);
    before = round;
  }
  return rounds;
}

function sameCounted(left: Pass, right: Pass): boolean {
  return (
    left.counted.size === right.counted.size && [...left.counted].every((commit) => right.counted.has(commit))
  );
}

function foldOnce(
  log: readonly SettingsCommit[],
  refused: ReadonlySet<SettingsCommit>,
  known: Timelines,
): Pass {
  const counted = new Set<SettingsCommit>();
  const timelines = new Map<string, StandingChange[]>();
  let peers: Peers = {};
  for (const commit of log) {
    if (refused.has(commit)) continue;
    if (!commit.isGenesis) {
      const before = timelines.get(commit.peer) ?? [];
      const later = (known.get(commit.peer) ?? []).filter(({ at }) => comparePositions(at, commit) > 0);
      if (standingAt([...before, ...later], commit) !== 'admin') continue;
    }
    counted.add(commit);
    const changed = commit.isGenesis ? { [commit.peer]: { role: 'admin' } } : peers;
    const next = commit.changes.reduce(changePeers, changed);
    for (const peer of affectedPeers(commit, peers, next)) {
      if (jsonEqual(peers[peer], next[peer])) continue;
      const changes = timelines.get(peer) ?? [];
      changes.push(standingChange(commit, next[peer], changes.at(-1)?.standing ?? 'none'));
      timelines.set(peer, changes);
    }
    peers = next;
  }
  return { counted, timelines };
}

type Peers = { readonly [peer: string]: Json };

function affectedPeers(commit: SettingsCommit, before: Peers, after: Peers): ReadonlySet<string> {
  if (commit.isGenesis || commit.changes.some(({ path }) => path.length < 2))
    return new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Set(commit.changes.flatMap(({ path }) => (path[0] === 'peers' ? path.slice(1, 2) : [])));
}

/** The member `peers` of the settings document after one change of the document. */
function changePeers(peers: Peers, { path, value }: SettingsChange): Peers {
  const [first, peer, ...deeper] = path;
  if (first === undefined) return isJsonObject(value) && isJsonObject(value['peers']) ? value['peers'] : {};
  if (first !== 'peers') return peers;
  if (peer === undefined) return isJsonObject(value) ? value : {};
  const { [peer]: entry, ...others } = peers;
  const changed = changeAt(entry, deeper, value);
  return changed === undefined ? others : { ...others, [peer]: changed };
}

function changeAt(
  entry: Json | undefined,
  path: readonly string[],
  value: Json | undefined,
): Json | undefined {
  const [first, ...deeper] = path;
  if (first === undefined) return value;
  const { [first]: member, ...others } = isJsonObject(entry) ? entry : {};
  const changed = changeAt(member, deeper, value);
  return changed === undefined ? others : { ...others, [first]: changed };
}

function namedAdmins(log: readonly SettingsCommit[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const commit of log) {
    if (commit.isGenesis) named.add(commit.peer);
    for (const change of commit.changes)
      for (const [peer, entry] of Object.entries(changePeers({}, change)))
        if (isJsonObject(entry) && entry['role'] === 'admin') named.add(peer);
  }
  return named;
}
