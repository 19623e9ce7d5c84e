import { CLOCK_LIMIT } from '../limits.ts';
import type { RefusalCode, ReportDraft } from './apply-report.ts';
import type { Chain } from './chain.ts';
import { type SealedCommit, signedBytes } from './commit.ts';
import { certificateText, type PublicKeys } from './keys.ts';

/** A commit whose form was read. */
export type ReadCommit = { readonly commit: SealedCommit; readonly intact: boolean };

/** A commit that follows its author's chain: hash, signature, clock and the settings that it names are right. */
export type LinkedCommit = { readonly commit: SealedCommit; readonly peer: string };

type Head = Pick<Chain, 'seq' | 'hlc' | 'peer' | 'hash'>;

export type LinkResult = {
  readonly linked: readonly LinkedCommit[];
  readonly forks: readonly SealedCommit[];
};

/** One author's commits that are left, in order. */
type Run = { readonly commits: ReadCommit[]; head: Head };

const NO_HEAD: Head = { seq: 0, hlc: 0, peer: '', hash: '' };

/**
 * Follows each author's chain as far as its commits go, across authors as often as one waits for another's settings. The
 * answer is in an order in which each commit comes after those that it names. What does not link is refused in `report`.
 */
export function linkChains(
  commits: readonly ReadCommit[],
  context: {
    readonly chains: ReadonlyMap<string, Chain>;
    /** The clock of a settings commit that is here; null where that commit is no settings commit, undefined where it is not here. */
    readonly settingsClock: (author: string, seq: number) => number | null | undefined;
    readonly keys: PublicKeys;
    readonly report: ReportDraft;
  },
): LinkResult {
  const { chains, keys, report } = context;
  const runs = byAuthor(commits, chains);
  const linked: LinkedCommit[] = [];
  const forks: SealedCommit[] = [];
  const added = new Map<string, number | null>();
  const settingsClock = (author: string, seq: number) =>
    added.has(nameOf(author, seq)) ? added.get(nameOf(author, seq)) : context.settingsClock(author, seq);

  for (let moved = true; moved; ) {
    moved = false;
    for (const run of runs) {
      for (let next = run.commits[0]; next !== undefined; next = run.commits[0]) {
        const code = judge(next, run, { keys, settingsClock });
        if (code === 'commit_waiting') break;
        run.commits.shift();
        moved = true;
        if (code !== null) {
          report.refuse(next.commit.header, code);
          if (code === 'commit_fork') forks.push(next.commit);
          continue;
        }
        const { seq, hlc, author } = next.commit.header;
        const peer = next.commit.ops[0]?.author?.peer ?? run.head.peer;
        run.head = { seq, hlc, peer, hash: next.commit.hash };
        added.set(nameOf(author, seq), next.commit.level === 3 ? hlc : null);
        linked.push({ commit: next.commit, peer });
      }
    }
  }
  for (const run of runs)
    for (const { commit } of run.commits) report.refuse(commit.header, 'commit_waiting');
  return { linked, forks };
}

function byAuthor(commits: readonly ReadCommit[], chains: ReadonlyMap<string, Chain>): Run[] {
  const runs = new Map<string, Run>();
  for (const read of [...commits].sort((left, right) => left.commit.header.seq - right.commit.header.seq)) {
    const { author } = read.commit.header;
    const run = runs.get(author);
    if (run === undefined) runs.set(author, { commits: [read], head: chains.get(author) ?? NO_HEAD });
    else run.commits.push(read);
  }
  return [...runs.values()];
}

/** The first reason against the commit, in the order that every peer keeps; null where it links. */
function judge(
  { commit, intact }: ReadCommit,
  run: Run,
  by: {
    readonly keys: PublicKeys;
    readonly settingsClock: (author: string, seq: number) => number | null | undefined;
  },
): RefusalCode | null {
  const { header } = commit;
  const { head } = run;
  if (header.seq > head.seq + 1) return 'commit_gap';
  if (header.seq <= head.seq) return isSigned(commit, by.keys) ? 'commit_fork' : 'commit_signature_invalid';
  if (!intact) return 'commit_hash_mismatch';
  if (!follows(commit, head)) return isSigned(commit, by.keys) ? 'commit_fork' : 'commit_hash_mismatch';
  // Each its own, though a later one covers it through the hashes: what ends a copy after a cut must stand by itself.
  if (!isSigned(commit, by.keys)) return 'commit_signature_invalid';
  if (header.seq === 1 && !isCertified(commit, by.keys)) return 'commit_signature_invalid';
  if (header.hlc < 1 || header.hlc >= CLOCK_LIMIT || header.hlc <= head.hlc) return 'commit_clock_invalid';
  if (header.settings === null) return null;
  const clock = by.settingsClock(...header.settings);
  if (clock === undefined) return 'commit_waiting';
  if (clock === null) return 'commit_malformed';
  return header.hlc <= clock ? 'commit_clock_invalid' : null;
}

function follows(commit: SealedCommit, head: Head): boolean {
  return commit.header.prev === head.hash;
}

/** True when a commit's own signature is its author's. */
export function isSigned({ header, hash, sig }: SealedCommit, keys: PublicKeys): boolean {
  return keys.verifies(header.author, signedBytes(hash), sig);
}

function isCertified(commit: SealedCommit, keys: PublicKeys): boolean {
  const said = commit.ops[0]?.author ?? null;
  return (
    said !== null &&
    keys.verifies(
      said.peer,
      certificateText(commit.header.author),
      Buffer.from(said.certificate, 'base64url'),
    )
  );
}

function nameOf(author: string, seq: number): string {
  return `${author}:${seq}`;
}
