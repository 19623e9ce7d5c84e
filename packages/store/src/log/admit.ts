import type { Json } from '@fairlead/base';
import { MAX_DENIED_KEPT } from '../limits.ts';
import type { Rights, SettingsCommit } from '../rights/rights.ts';
import { adoptJudged } from './adopt.ts';
import { type ApplyReport, ReportDraft } from './apply-report.ts';
import type { SealedCommit } from './commit.ts';
import { DatabaseState } from './database-state.ts';
import type { PublicKeys } from './keys.ts';
import { isSigned, type LinkedCommit, linkChains, type ReadCommit } from './link-chains.ts';
import type { LogEngine } from './log-engine.ts';
import { type DatabaseKind, rootId } from './names.ts';
import { parseCommit } from './parse-commit.ts';
import { settingsCommit, settleRights } from './settle-rights.ts';
import { type JudgedCommit, type Plan, unborn } from './unit.ts';

/** Commits whose form and database were read, before anything of the database was looked at. */
export type ReadBatch = {
  readonly report: ReportDraft;
  readonly commits: readonly ReadCommit[];
  /** Set where the first commit of the database is among them. */
  readonly kind: DatabaseKind | null;
};

/** Reads foreign values: what is no commit, or one of another database, is refused here. */
export function readBatch(values: readonly Json[], root: string): ReadBatch {
  const report = new ReportDraft();
  const commits: ReadCommit[] = [];
  let kind: DatabaseKind | null = null;
  for (const value of values) {
    const parsed = parseCommit(value);
    if (!parsed.ok) {
      report.refuse(parsed.at, parsed.code);
      continue;
    }
    const begins = parsed.commit.header.database === '' ? genesisKind(parsed.commit, root) : null;
    const belongs = begins !== null || parsed.commit.header.database === root;
    if (!belongs || begins === 'peer' || root.startsWith('per_')) {
      report.refuse(parsed.commit.header, 'commit_foreign');
      continue;
    }
    kind = begins ?? kind;
    commits.push(parsed);
  }
  return { report, commits, kind };
}

/** The kind that a first commit names, where it is the first commit of this root. */
function genesisKind(commit: SealedCommit, root: string): DatabaseKind | null {
  const kind = commit.ops[1]?.genesis?.kind;
  return kind !== undefined && rootId(kind, commit.hash) === root ? kind : null;
}

export type Admission = { readonly report: ApplyReport; readonly plan: Plan | null };

/**
 * Judges a batch against a database and plans what becomes of it. The caller keeps every other writer out of the database
 * until the plan is carried out.
 */
export async function admit(
  batch: ReadBatch,
  state: DatabaseState,
  by: {
    readonly engine: LogEngine;
    readonly keys: PublicKeys;
    readonly wallMs: () => number;
    readonly creates: boolean;
  },
): Promise<Admission> {
  const { engine, keys } = by;
  const { report } = batch;
  const { unknown, forks } = await siftKnown(batch, state, by);
  const clocks = new Map(state.settings.map(({ author, seq, hlc }) => [`${author}:${seq}`, hlc]));
  const { linked, forks: later } = linkChains(unknown, {
    chains: state.chains,
    keys,
    report,
    settingsClock: (author, seq) => {
      const clock = clocks.get(`${author}:${seq}`);
      return clock ?? (seq <= (state.chains.get(author)?.seq ?? 0) ? null : undefined);
    },
  });
  const added = new Map<SealedCommit, SettingsCommit>();
  for (const { commit, peer } of linked)
    if (commit.level === 3) added.set(commit, settingsCommit(commit, peer));
  const { settings, rights, flips } = await settleRights(engine, state, [...added.values()]);
  const judged = judge(linked, { state, rights, added, report });
  const proofs = [...forks, ...later].map((commit) => ({ commit }));
  report.quarantined += proofs.length;
  const nothing = judged.length === 0 && (by.creates || proofs.length === 0);
  const adopt = () => adoptJudged(state, { judged, flips, settings, rights, wallMs: by.wallMs() });
  const creates = by.creates ? batch.kind : null;
  return {
    report: report.finished(),
    plan: nothing ? null : { state, creates, commits: judged, flips, forks: proofs, adopt },
  };
}

/** Sets aside what is here already, and what stands under a number that is taken by another commit. */
async function siftKnown(
  { commits, report }: ReadBatch,
  state: DatabaseState,
  { engine, keys }: { readonly engine: LogEngine; readonly keys: PublicKeys },
): Promise<{ readonly unknown: readonly ReadCommit[]; readonly forks: readonly SealedCommit[] }> {
  const seqOf = (author: string) => state.chains.get(author)?.seq ?? 0;
  const old = commits.filter(({ commit }) => commit.header.seq <= seqOf(commit.header.author));
  const hashes = await engine.hashes(
    state,
    old.map(({ commit }) => commit.header),
  );
  const forks: SealedCommit[] = [];
  for (const [index, { commit }] of old.entries()) {
    if (hashes[index] === commit.hash) report.known += 1;
    else if (isSigned(commit, keys)) {
      report.refuse(commit.header, 'commit_fork');
      forks.push(commit);
    } else report.refuse(commit.header, 'commit_signature_invalid');
  }
  const seen = new Set<string>();
  const unknown = commits.filter(({ commit }) => {
    const { author, seq } = commit.header;
    if (seq <= seqOf(author)) return false;
    const name = `${author}:${seq}:${commit.hash}`;
    if (seen.has(name)) report.known += 1;
    return !seen.has(name) && seen.add(name);
  });
  return { unknown, forks };
}

/** Gives each linked commit its standing. Past the bound, what has none ends its author's chain here for now. */
function judge(
  linked: readonly LinkedCommit[],
  by: {
    readonly state: DatabaseState;
    readonly rights: Rights;
    readonly added: ReadonlyMap<SealedCommit, SettingsCommit>;
    readonly report: ReportDraft;
  },
): JudgedCommit[] {
  const { state, rights, added, report } = by;
  const full = new Set<string>();
  const judged: JudgedCommit[] = [];
  let denied = state.denied;
  for (const { commit, peer } of linked) {
    const { header, level } = commit;
    const settings = added.get(commit);
    const applied = settings === undefined ? rights.allows(peer, header, level) : rights.counts(settings);
    if (!applied) report.refuse(header, 'commit_denied');
    const needed = applied || rights.wasNamedAdmin(peer);
    if (full.has(header.author) || (!needed && denied >= MAX_DENIED_KEPT)) {
      full.add(header.author);
      if (applied) report.refuse(header, 'commit_gap');
      continue;
    }
    if (applied) report.applied += 1;
    else {
      denied += 1;
      report.quarantined += 1;
    }
    judged.push({ commit, peer, applied, origin: 'remote' });
  }
  return judged;
}

/** The state of a database of which nothing is here yet. */
export function emptyState(engine: LogEngine, root: string, kind: DatabaseKind): DatabaseState {
  return new DatabaseState(root, unborn(kind, engine.newRows()), engine.lastArrival());
}
