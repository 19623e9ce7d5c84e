// Random histories of several writers with clocks of their own, and deliveries of them in any order.
import { randomBytes } from 'node:crypto';
import type { Json, JsonObject } from '@fairlead/base';
import fc from 'fast-check';
import { type Forged, type ForgedKey, Forger, forgeKey } from './forge.ts';
import { DAY_MS, START_MS } from './peer-fixture.ts';

/** What one writer does next. */
export type Step =
  | { readonly do: 'append' | 'put' | 'set' | 'clear'; readonly writer: number; readonly key: number }
  | { readonly do: 'learn'; readonly writer: number; readonly from: number }
  | {
      readonly do: 'role';
      readonly writer: number;
      readonly whom: number;
      readonly role: number;
      /** How many of the newest known commits of the peer are cut off. */
      readonly back: number;
    };

const WRITERS = 4;

/** Right, a day behind, a day ahead, years ahead: nobody's clock is anybody else's. */
const SKEWS_MS = [0, -DAY_MS, DAY_MS, 3_000 * DAY_MS];

const ROLES = ['none', 'append', 'write', 'admin'] as const;

const writer = fc.nat({ max: WRITERS - 1 });

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('append', 'put', 'set', 'clear'),
      writer,
      key: fc.nat({ max: 2 }),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('learn'), writer, from: writer }) as fc.Arbitrary<Step>,
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('role'),
      writer,
      whom: writer,
      role: fc.nat({ max: 3 }),
      back: fc.nat({ max: 2 }),
    }) as fc.Arbitrary<Step>,
  },
);

export type History = { readonly root: string; readonly commits: readonly Forged[] };

type Hand = Forger & { readonly skewMs: number; readonly knows: Set<Forged>; stepMs: number };

const keys: readonly (readonly [ForgedKey, ForgedKey])[] = Array.from({ length: WRITERS }, (_, index) => [
  forgeKey(10 + index),
  forgeKey(20 + index),
]);

/**
 * Lets the writers do their steps. The first begins the database with the second as admin and the others as writers. Each
 * knows its own commits and those that it learned; it names settings that it knows, and does not ask whether it may.
 * Each history is a database of its own, so that one peer can take thousands.
 */
export function writeHistory(steps: readonly Step[]): History {
  const hands: Hand[] = keys.map(([peer, author], index) =>
    Object.assign(new Forger(peer, author), {
      skewMs: SKEWS_MS[index] ?? 0,
      knows: new Set<Forged>(),
      stepMs: 0,
    }),
  );
  const [first] = hands as [Hand];
  const grants = hands.slice(1).map(
    (hand, index): JsonObject => ({
      op: 'set',
      doc: '_settings',
      path: ['peers', hand.peer.id],
      value: { role: index === 0 ? 'admin' : 'write' },
    }),
  );
  const { root, commit } = first.begin('session', 'ses_', START_MS * 1_024, grants, randomBytes(32));
  for (const hand of hands) hand.knows.add(commit);
  const commits: Forged[] = [commit];
  for (const [index, next] of steps.entries()) {
    const hand = hands[next.writer] as Hand;
    if (next.do === 'learn') {
      for (const known of (hands[next.from] as Hand).knows) hand.knows.add(known);
      continue;
    }
    const op = operation(next, hand, hands, index);
    const settings = newestSettings(hand.knows);
    const hlc = Math.max((START_MS + hand.skewMs + index) * 1_024, hand.hlc + 1, clockOf(settings) + 1);
    const ops = hand.seq === 0 ? [hand.authorOp(), op] : [op];
    const written = hand.write(ops, { database: root, hlc, settings: nameOf(settings) });
    hand.knows.add(written);
    commits.push(written);
  }
  return { root, commits };
}

function operation(
  next: Exclude<Step, { do: 'learn' }>,
  hand: Hand,
  hands: readonly Hand[],
  index: number,
): JsonObject {
  if (next.do === 'role') {
    const whom = hands[next.whom] as Hand;
    const known = [...hand.knows].filter(({ header }) => header['author'] === whom.author.id).length;
    return {
      op: 'set',
      doc: '_settings',
      path: ['peers', whom.peer.id],
      value: {
        role: ROLES[next.role] ?? 'none',
        cuts: known === 0 ? {} : { [whom.author.id]: Math.max(0, known - next.back) },
      },
    };
  }
  const value = { by: next.writer, step: index };
  switch (next.do) {
    case 'append':
      return { op: 'append', table: 'entries', value };
    case 'put':
      return { op: 'put', table: 'extensions', key: `k${next.key}`, value };
    case 'set':
      return { op: 'set', doc: 'meta', path: ['a', 'b', 'c'].slice(0, 1 + next.key), value };
    case 'clear':
      return { op: 'clear', doc: 'meta', path: ['a', 'b', 'c'].slice(0, 1 + next.key) };
  }
}

function newestSettings(known: ReadonlySet<Forged>): Forged {
  const settings = [...known].filter(({ ops }) =>
    ops.some((op) => (op as JsonObject)['doc'] === '_settings' || (op as JsonObject)['op'] === 'genesis'),
  );
  return settings.reduce((newest, commit) => (clockOf(commit) >= clockOf(newest) ? commit : newest));
}

function clockOf({ header }: Forged): number {
  return Number(header['hlc']);
}

function nameOf({ header }: Forged): Json {
  return [header['author'] ?? '', header['seq'] ?? 0];
}
