import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { clauses } from '../src/clauses/clauses.ts';
import { hostileScenarios } from '../src/hostile/scenarios.ts';
import { broken, runStaged } from './run-staged.ts';

/** Their faults are those of processes that only a real child can leave behind. */
const needChildren: ReadonlySet<string> = new Set(['wire.manners.no-child-left']);

/** Enough to keep the waiting of one scenario from being the waiting of all. */
const AT_ONCE = 12;

test('every scenario breaks the one clause that it names, and a run finds that one and no other', async (t) => {
  hygiene(t);
  const found: Record<string, string[]> = {};
  const expected: Record<string, string[]> = {};
  const waiting = hostileScenarios.filter(({ clause }) => clause === null || !needChildren.has(clause));
  for (const { name, clause } of waiting) {
    const level = clauses.find(({ id }) => id === clause)?.level;
    expected[name] = clause === null ? [] : [`${level === 'must' ? 'failed' : 'advice'} ${clause}`];
  }
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      found[next.name] = broken(await runStaged(next));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  assert.deepEqual(found, expected);
});

test('every clause that a plugin must or should keep is broken by at least one scenario', () => {
  const proven = new Set<string | null>(hostileScenarios.map(({ clause }) => clause));
  const unproven = clauses.filter(({ id, level }) => level !== 'may' && !proven.has(id)).map(({ id }) => id);
  assert.deepEqual(unproven, []);
});

test('no freedom of a plugin is called a fault: a clause that says may is broken by none', () => {
  const freedoms = clauses.filter(({ level }) => level === 'may').map(({ id }) => id);
  assert.deepEqual(freedoms, [
    'wire.response.extra-members',
    'wire.initialize.extra-members',
    'wire.stderr.free',
  ]);
  assert.deepEqual(
    hostileScenarios.filter(({ clause }) => clause !== null && freedoms.some((id) => id === clause)),
    [],
  );
});
