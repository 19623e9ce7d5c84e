import { isJsonObject, type Json } from '@fairlead/base';
import { comparePositions, type Position } from '../log/position.ts';
import { compareStandings, isRole, type Standing } from './role.ts';

/** One change of a peer's standing, as a settings commit made it. */
export type StandingChange = {
  readonly at: Position;
  readonly standing: Standing;
  /** Per author the last commit that still belongs to the time before. */
  readonly cuts: ReadonlyMap<string, number>;
  /** The cut of an author that is not named: 0 where standing was lowered, null = divided by position. */
  readonly otherCut: 0 | null;
};

/** Reads what `_settings` holds under `peers.<peer id>`; `before` is the standing that it follows. */
export function standingChange(at: Position, value: Json | undefined, before: Standing): StandingChange {
  const entry = isJsonObject(value) ? value : {};
  const standing = isRole(entry['role']) ? entry['role'] : 'none';
  const named = isJsonObject(entry['cuts']) ? entry['cuts'] : {};
  const cuts = new Map<string, number>();
  for (const [author, seq] of Object.entries(named))
    cuts.set(author, typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 ? seq : 0);
  return { at, standing, cuts, otherCut: compareStandings(standing, before) < 0 ? 0 : null };
}

/** True where the commit belongs to the time after the change. A commit is never after itself. */
function isAfter(commit: Position, change: StandingChange): boolean {
  const cut = change.cuts.get(commit.author) ?? change.otherCut;
  if (cut === null) return comparePositions(change.at, commit) < 0;
  return commit.seq > cut && !isSame(commit, change.at);
}

function isSame(left: Position, right: Position): boolean {
  return left.author === right.author && left.seq === right.seq;
}

/** The standing of a commit's peer when it was written. `changes` are that peer's, in order. */
export function standingAt(changes: readonly StandingChange[], commit: Position): Standing {
  for (let index = changes.length - 1; index >= 0; index -= 1) {
    const change = changes[index] as StandingChange;
    if (isAfter(commit, change)) return change.standing;
  }
  return 'none';
}

export function sameChange(left: StandingChange, right: StandingChange): boolean {
  return (
    isSame(left.at, right.at) &&
    left.standing === right.standing &&
    left.otherCut === right.otherCut &&
    left.cuts.size === right.cuts.size &&
    [...left.cuts].every(([author, seq]) => right.cuts.get(author) === seq)
  );
}
