import { isDeepStrictEqual } from 'node:util';
import { type Json, parseJson } from '@fairlead/base';
import type { ApplyReport, Peer } from '@fairlead/store';
import { commitJson } from '../../../packages/store/src/log/commit.ts';
import { parseCommit } from '../../../packages/store/src/log/parse-commit.ts';
import { verifyDatabase } from '../../../packages/store/test/forge.ts';
import { hold, type Target } from '../engine/target.ts';
import { fixedHistory, scratchPeer, shown } from './store-history.ts';

const CODES: ReadonlySet<string> = new Set([
  'commit_malformed',
  'commit_too_large',
  'commit_foreign',
  'commit_fork',
  'commit_gap',
  'commit_hash_mismatch',
  'commit_signature_invalid',
  'commit_clock_invalid',
  'commit_waiting',
  'commit_denied',
]);

const BOUNDS = {
  maxBytes: 65_536,
  maxDepth: 512,
  maxNodes: 65_536,
  maxStringBytes: 65_536,
  maxKeyBytes: 65_536,
};

const history = fixedHistory();

/** An input is a list of commits that comes to a peer which holds the beginning of their session. */
export const target: Target = {
  name: 'commits',
  holds:
    'each commit is taken or has a code; what is refused changes nothing that is shown; what was taken verifies by another program',
  covers: ['packages/store/src/log', 'packages/store/src/rights'],
  form: 'json',
  maxBytes: 16_384,
  stepMs: 3_000,
  seeds: () => [
    JSON.stringify(history.next),
    ...history.next.map((commit) => JSON.stringify([commit])),
    JSON.stringify([...history.known, ...history.next].reverse()),
  ],
  open: async () => {
    const { root, known } = history;
    let scratch = await scratchPeer();
    const begin = async () => {
      await scratch.peer.apply(root, known as never);
      return await shown(scratch.peer, root);
    };
    let before = await begin();
    const renew = async () => {
      await scratch.close();
      scratch = await scratchPeer();
      before = await begin();
    };
    return {
      run: async (input) => {
        const parsed = parseJson(input, BOUNDS);
        if (!parsed.ok || !Array.isArray(parsed.value)) return;
        let isAsBefore = false;
        try {
          isAsBefore = await take(scratch.peer, root, parsed.value as Json[], before);
        } finally {
          if (!isAsBefore) await renew();
        }
      },
      close: () => scratch.close(),
    };
  },
};

/** Applies what came; true where the peer is as it was before. */
async function take(peer: Peer, root: string, values: readonly Json[], before: string): Promise<boolean> {
  for (const value of values.slice(0, 64)) judge(value);
  const report = await peer.apply(root, values);
  judgeReport(report, values.length);
  const after = await shown(peer, root);
  if (report.applied === 0) hold(after === before, 'what is refused changes nothing that is shown');
  if (report.applied === 0 && report.quarantined === 0) return true;
  const database = await peer.open(root);
  const offered = await database.since({});
  verifyDatabase(root, offered as never);
  const again = await peer.apply(root, values);
  hold(again.applied === 0, 'what was taken is not taken twice');
  hold((await shown(peer, root)) === after, 'the same again changes nothing');
  return false;
}

function judge(value: Json): void {
  const parsed = parseCommit(value);
  if (!parsed.ok) {
    hold(
      parsed.code === 'commit_malformed' || parsed.code === 'commit_too_large',
      'what is no commit has a code',
    );
    return;
  }
  const again = parseCommit(JSON.parse(JSON.stringify(commitJson(parsed.commit))) as Json);
  hold(
    again.ok && again.commit.hash === parsed.commit.hash,
    'a commit that is written out is the same commit',
  );
  hold(again.ok && isDeepStrictEqual(again.commit.header, parsed.commit.header), 'a header is kept as it is');
}

function judgeReport(report: ApplyReport, count: number): void {
  const { applied, known, refused, quarantined } = report;
  hold(applied + known + refused.length === count, 'every commit is counted once', () =>
    JSON.stringify(report),
  );
  hold(
    refused.every(({ code }) => CODES.has(code)),
    'a refusal has a known code',
  );
  hold(quarantined <= refused.length, 'what is kept aside was refused');
}
