import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScopeKind } from '@fairlead/extension';
import { BudgetWheel, type Contributions, HookDispatcher } from '@fairlead/extension/runtime';
import { manualClock } from '@fairlead/testing';
import fc from 'fast-check';
import type { Installed } from '../../src/install/installed.ts';
import type { LiveInstance } from '../../src/instances/live-instance.ts';
import { buildSnapshot } from '../../src/live/build-snapshot.ts';
import { Engine } from '../../src/live/engine.ts';
import { LiveAgent } from '../../src/live/live-agent.ts';
import { LiveSession } from '../../src/live/live-session.ts';
import { PreparedInstances } from '../../src/live/prepared-instance.ts';
import { manifestOf, toolOf } from '../fake-extension.ts';

const SCOPES: readonly ScopeKind[] = ['global', 'agent', 'session'];

/** What one extension has at one scope, and whether its instance lives. */
interface Part {
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly caps: readonly string[];
  readonly prompt: boolean;
  readonly gate: boolean;
  readonly lives: boolean;
}

interface Extension {
  readonly parts: { readonly [S in ScopeKind]?: Part };
  readonly needs: readonly { readonly kind: string; readonly provider?: string }[];
  readonly on: boolean;
  readonly optedOut: boolean;
}

const some = (names: readonly string[]) => fc.subarray([...names]);

const part: fc.Arbitrary<Part> = fc.record({
  tools: some(['t1', 't2', 't3']),
  commands: some(['c1', 'c2']),
  caps: some(['x.one', 'x.two']),
  prompt: fc.boolean(),
  gate: fc.boolean(),
  lives: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
});

const extension: fc.Arbitrary<Extension> = fc.record({
  parts: fc.record({ global: part, agent: part, session: part }, { requiredKeys: [] }),
  needs: fc.array(
    fc.record(
      { kind: fc.constantFrom('x.one', 'x.two', 'x.three'), provider: fc.constantFrom('e0', 'e1', 'e2') },
      { requiredKeys: ['kind'] },
    ),
    { maxLength: 1 },
  ),
  on: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
  optedOut: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});

const world = fc.record({
  extensions: fc.array(extension, { maxLength: 6 }),
  agent: fc.boolean(),
});
type World = { readonly extensions: readonly Extension[]; readonly agent: boolean };

// ── the model: what the set should be, said as plainly as possible ──

interface Piece {
  readonly owner: string;
  readonly scope: ScopeKind;
  readonly order: number;
  readonly part: Part;
}

function piecesOf({ extensions, agent }: World, optOutsCount: boolean): readonly Piece[] {
  const all = extensions.flatMap(({ parts, on, optedOut }, order) =>
    SCOPES.flatMap((scope): Piece[] => {
      const part = parts[scope];
      const takesPart =
        on && !(optOutsCount && agent && optedOut) && (agent || scope !== 'agent') && part?.lives === true;
      return takesPart && part !== undefined ? [{ owner: `e${order}`, scope, order, part }] : [];
    }),
  );
  let left = all;
  for (;;) {
    const met = left.filter(({ order }) =>
      (extensions[order]?.needs ?? []).every(({ kind, provider }) =>
        left.some(
          (other) => other.part.caps.includes(kind) && (provider === undefined || other.owner === provider),
        ),
      ),
    );
    if (met.length === left.length) return met;
    left = met;
  }
}

/** Name, owner and scope of each winner, in the order in which they are offered. */
function winners(pieces: readonly Piece[], list: 'tools' | 'commands') {
  const entries = pieces.flatMap((piece) => piece.part[list].map((name) => ({ name, ...piece })));
  return entries
    .filter(
      (one) =>
        !entries.some(
          (other) =>
            other.name === one.name &&
            (SCOPES.indexOf(other.scope) > SCOPES.indexOf(one.scope) ||
              (other.scope === one.scope && other.order < one.order)),
        ),
    )
    .map(({ name, owner, scope }) => [name, owner, scope]);
}

function capsOf(pieces: readonly Piece[]) {
  const owners: Record<string, string[]> = {};
  for (const scope of [...SCOPES].reverse())
    for (const piece of pieces)
      if (piece.scope === scope)
        for (const kind of piece.part.caps) owners[kind] = [...(owners[kind] ?? []), piece.owner];
  return owners;
}

/** Who adds a prompt: of one extension the instance nearest to the session. */
function promptsOf(pieces: readonly Piece[]) {
  const owners = [...new Set(pieces.filter(({ part }) => part.prompt).map(({ owner }) => owner))];
  return owners;
}

/** Who judges, and whether it can. */
function gatesOf({ extensions, agent }: World, pieces: readonly Piece[]) {
  return extensions.flatMap(({ parts, on, optedOut }, order) => {
    if (!on || (agent && optedOut)) return [];
    const owner = `e${order}`;
    const present = SCOPES.filter((scope) => parts[scope] !== undefined && (agent || scope !== 'agent'));
    const isGate = SCOPES.some((scope) => parts[scope]?.gate === true);
    const own = pieces.filter((piece) => piece.owner === owner);
    const whole = present.every((scope) => own.some((piece) => piece.scope === scope));
    return [
      ...(isGate && !whole ? [[owner, 'absent']] : []),
      ...own.filter(({ part: { gate } }) => gate).map(() => [owner, 'asked']),
    ];
  });
}

// ── the real thing over fakes ──

function build({ extensions, agent }: World) {
  const clock = manualClock();
  const wheel = new BudgetWheel(clock);
  const report = (): void => {};
  const hooks = new HookDispatcher({ wheel, report });
  const engine = new Engine({ clock, wheel, hooks, report, settings: { for: () => ({}) } });
  const installed: Installed[] = [];
  const instances: Record<ScopeKind, LiveInstance[]> = { global: [], agent: [], session: [] };
  for (const [order, { parts, needs }] of extensions.entries()) {
    const name = `e${order}`;
    const scopes = SCOPES.filter((scope) => parts[scope] !== undefined);
    const isGate = scopes.some((scope) => parts[scope]?.gate === true);
    const one = {
      name,
      ref: { kind: 'path', name, digest: 'd' },
      tier: 'worker',
      builtin: false,
      order,
      generation: 1,
      manifest: manifestOf(name, { scopes, requires: needs, hooks: isGate ? ['tool_call'] : [] }),
      carrier: { hook: () => ({ begin: () => undefined }) },
      gone: undefined,
    } as unknown as Installed;
    installed.push(one);
    for (const scope of scopes) {
      const part = parts[scope];
      if (part === undefined || !part.lives) continue;
      const contributions = {
        tools: part.tools.map((tool) => toolOf(tool)),
        commands: part.commands.map((command) => ({ name: command, about: 'x', args: {} })),
        hooks: part.gate ? ['tool_call'] : [],
        prompt: part.prompt,
        tail: false,
        status: false,
        caps: part.caps.map((kind) => ({ kind, methods: ['m'] })),
        routines: [],
        uses: [],
      } as unknown as Contributions;
      instances[scope].push({
        id: `${name}.${scope}`,
        extension: one,
        kind: scope,
        key: '',
        contributions,
        refused: [],
        gone: undefined,
      });
    }
  }
  const database = (root: string) => ({ root, changes: () => 0 }) as never;
  return buildSnapshot({
    version: 'v',
    engine,
    session: new LiveSession(database('ses_1'), 's', clock),
    agent: agent ? new LiveAgent(database('agt_1'), 'ann') : undefined,
    installed,
    failed: [],
    active: new Set(installed.filter((_one, index) => extensions[index]?.on).map(({ name }) => name)),
    optOuts: new Set(
      agent ? installed.filter((_one, index) => extensions[index]?.optedOut).map(({ name }) => name) : [],
    ),
    instances: { ...instances, agent: agent ? instances.agent : [] },
    prepared: new PreparedInstances(),
    failureOf: () => undefined,
  });
}

test('property: any world of extensions, scopes and switches gives the set that the model says', () => {
  fc.assert(
    fc.property(world, (given) => {
      const set = build(given);
      const turn = piecesOf(given, true);
      const person = piecesOf(given, false);
      const shown = (entries: typeof set.tools | typeof set.commands) =>
        [...entries.values()].map(({ name, owner, instance }) => [name, owner, instance.kind]);
      assert.deepEqual(shown(set.tools), winners(turn, 'tools'));
      assert.deepEqual(shown(set.commands), winners(person, 'commands'));
      const providers = Object.fromEntries(
        [...set.turn.caps].map(([kind, list]) => [kind, list.map(({ instance }) => instance.extension.name)]),
      );
      assert.deepEqual(providers, capsOf(turn));
      assert.deepEqual(
        set.fired.prompt.targets.map(({ owner }) => owner),
        promptsOf(turn),
      );
      assert.deepEqual(
        set.fired.tool_call.targets.map(({ owner, gone }) => [
          owner,
          gone === undefined ? 'asked' : 'absent',
        ]),
        gatesOf(given, turn),
      );
      // Every name that is contributed is called, or recorded as shadowed.
      const contributed = turn.reduce((sum, { part: { tools } }) => sum + tools.length, 0);
      const losers = set.shadowed().filter(({ kind }) => kind === 'tool');
      assert.equal(set.tools.size + losers.length, contributed);
      for (const { name, owner, scope, by } of losers) {
        const winner = set.tools.get(name);
        assert.deepEqual([winner?.owner, winner?.instance.kind], [by.owner, by.scope]);
        assert.notDeepEqual([owner, scope], [by.owner, by.scope]);
      }
    }),
    { numRuns: 2000 },
  );
});
