import { Rights, type SettingsCommit } from '../rights/rights.ts';
import type { StandingChange } from '../rights/timeline.ts';
import type { SealedCommit } from './commit.ts';
import type { DatabaseState } from './database-state.ts';
import type { LogEngine } from './log-engine.ts';
import type { Flip } from './unit.ts';

/** What new settings commits come to: the rights with them, and which kept commits are judged otherwise from now on. */
export type SettledRights = {
  readonly settings: readonly SettingsCommit[];
  readonly rights: Rights;
  readonly flips: readonly Flip[];
};

/** Folds the rights again with `added`. Only commits whose peer's timeline differs are looked at, from where it differs. */
export async function settleRights(
  engine: LogEngine,
  state: DatabaseState,
  added: readonly SettingsCommit[],
): Promise<SettledRights> {
  if (added.length === 0) return { settings: state.settings, rights: state.rights, flips: [] };
  const settings = [...state.settings, ...added];
  const rights = Rights.fold(settings);
  const flips: Flip[] = state.settings
    .filter((commit) => state.rights.counts(commit) !== rights.counts(commit))
    .map((commit) => ({ author: commit.author, seq: commit.seq, applied: rights.counts(commit) }));
  for (const [peer, changes] of state.rights.differences(rights))
    for (const chain of state.chains.values())
      if (chain.peer === peer)
        flips.push(...(await flipsOf(engine, state, { peer, author: chain.author, changes, rights })));
  return { settings, rights, flips };
}

async function flipsOf(
  engine: LogEngine,
  state: DatabaseState,
  of: {
    readonly peer: string;
    readonly author: string;
    readonly changes: readonly StandingChange[];
    readonly rights: Rights;
  },
): Promise<Flip[]> {
  const fromHlc = Math.min(...of.changes.map(({ at }) => at.hlc));
  const cuts = of.changes.map(({ cuts: named, otherCut }) => named.get(of.author) ?? otherCut);
  const afterSeq = Math.min(...cuts.map((cut) => cut ?? Number.MAX_SAFE_INTEGER));
  const kept = await engine.kept(state, of.author, { fromHlc, afterSeq });
  return kept
    .map((commit) => ({ commit, applied: of.rights.allows(of.peer, commit, commit.level) }))
    .filter(({ commit, applied }) => applied !== commit.applied)
    .map(({ commit, applied }) => ({ author: commit.author, seq: commit.seq, applied }));
}

/** A commit of the settings as the fold sees it. */
export function settingsCommit(commit: SealedCommit, peer: string): SettingsCommit {
  const { author, seq, hlc, database } = commit.header;
  const changes = commit.ops.flatMap(({ settings }) => (settings === null ? [] : [settings]));
  return { author, seq, hlc, peer, changes, isGenesis: database === '' };
}
