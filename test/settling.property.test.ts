// Whatever happens to the link, at whichever byte, and whenever anybody asks: nothing that anybody is told contradicts what the plugin
// has counted, nothing happens twice, and in the end everything is settled, because the Runner's process lived on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Certainty } from '@fairlead/base';
import type { Invocation } from '@fairlead/dispatch';
import { hygiene, waitFor } from '@fairlead/testing';
import fc from 'fast-check';
import { type SettlingFloor, settlingFloor } from './settling/settling-floor.ts';

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      plugin: fc.constantFrom('quick' as const, 'patient' as const),
      waits: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('open' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ask' as const), which: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('turn' as const), times: fc.nat(300) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('cut later' as const),
      direction: fc.constantFrom('toRunner' as const, 'toGateway' as const),
      bytes: fc.nat(700),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait for the link' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

/** Losses of the link in one run: each costs a new connection and what is asked on it. */
const LOSSES_MAX = 4;

/** One floor and what a run of steps has found out about it. */
class Run {
  readonly #floor: SettlingFloor;
  readonly #bindings: Readonly<Record<'quick' | 'patient', string>>;
  readonly #calls: { readonly name: string; readonly answer: Promise<Invocation> }[] = [];
  readonly #gates: string[] = [];
  readonly #told = new Map<string, Set<Certainty>>();
  #losses = 0;

  constructor(floor: SettlingFloor, bindings: Readonly<Record<'quick' | 'patient', string>>) {
    this.#floor = floor;
    this.#bindings = bindings;
  }

  async take(next: Step): Promise<void> {
    const { proxy } = this.#floor;
    switch (next.do) {
      case 'call':
        this.#call(next.plugin, next.waits);
        break;
      case 'open': {
        const gate = this.#gates[next.which % Math.max(1, this.#gates.length)];
        if (gate !== undefined) this.#floor.open(gate);
        break;
      }
      case 'ask':
        await this.#ask(this.#calls[next.which % Math.max(1, this.#calls.length)]);
        break;
      case 'turn':
        for (let turn = 0; turn < next.times; turn += 1) await nextTurn();
        break;
      case 'wait for the link':
        await this.#linked();
        break;
      default:
        // Each new link may be lost once, by whatever comes first.
        if (this.#losses >= Math.min(LOSSES_MAX, proxy.links.length)) return;
        this.#losses += 1;
        this.#lose(next);
    }
  }

  /** Everything may go on; then nothing is unknown any more. */
  async end(): Promise<void> {
    const { proxy } = this.#floor;
    for (const { toRunner, toGateway } of proxy.links)
      for (const pipe of [toRunner, toGateway]) pipe.release();
    for (const gate of this.#gates) this.#floor.open(gate);
    await this.#linked();
    for (const { answer, name } of this.#calls) {
      const { call = '', certainty } = await answer;
      this.#note(name, certainty);
      if (certainty !== 'outcome_unknown') continue;
      await waitFor(async () => (await this.#floor.records(call))[2] !== null, { what: `settling ${name}` });
      this.#note(name, await this.#outcome(call));
      assert.notEqual(await this.#outcome(call), 'outcome_unknown');
    }
    const effects = this.#floor.effects();
    for (const [name, told] of this.#told) {
      told.delete('outcome_unknown');
      const count = effects.filter((effect) => effect === name).length;
      assert.deepEqual([...told], [count === 1 ? 'completed' : 'not_started'], `${name}: ${count} effects`);
      assert.ok(count <= 1, `${name} has happened ${count} times`);
    }
  }

  #call(plugin: 'quick' | 'patient', waits: boolean): void {
    const name = `call-${this.#calls.length}`;
    const until = this.#floor.gate(name);
    if (waits) this.#gates.push(until);
    const answer = this.#floor.invoke({
      action: 'call',
      binding: this.#bindings[plugin],
      arguments: waits ? { name, until } : { name },
    });
    this.#calls.push({ name, answer });
  }

  /** Asks for a call that has been answered; one that has not has no id yet. */
  async #ask(
    asked: { readonly name: string; readonly answer: Promise<Invocation> } | undefined,
  ): Promise<void> {
    if (asked === undefined) return;
    const answer = await Promise.race([asked.answer, nextTurn(null)]);
    if (answer !== null) this.#note(asked.name, await this.#outcome(answer.call ?? ''));
  }

  async #outcome(call: string): Promise<Certainty> {
    const { output } = await this.#floor.invoke({ action: 'outcome', call });
    return output?.['certainty'] as Certainty;
  }

  #note(name: string, certainty: Certainty): void {
    const told = this.#told.get(name) ?? new Set();
    this.#told.set(name, told.add(certainty));
  }

  #lose(next: Extract<Step, { do: 'cut' | 'cut later' | 'hold' }>): void {
    const { link } = this.#floor.proxy;
    if (next.do === 'cut') link.cut();
    else if (next.do === 'cut later') link[next.direction].allow(next.bytes, () => link.cut());
    else {
      // What is on its way stays so until the end, long after the next link has answered.
      link.toGateway.hold();
      link.toRunner.hold();
      link.cutRunner();
    }
  }

  async #linked(): Promise<void> {
    await waitFor(
      async () => {
        const { output } = await this.#floor.invoke({ action: 'list' });
        const { length } = (output?.['runners'] ?? []) as readonly unknown[];
        return length === 1;
      },
      { what: 'the link' },
    );
  }
}

test('no settlement contradicts what the plugin did', async (t) => {
  hygiene(t);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      await using floor = await settlingFloor(t);
      const bindings = { quick: await floor.bind('quick'), patient: await floor.bind('patient') };
      const run = new Run(floor, bindings);
      for (const next of steps) await run.take(next);
      await run.end();
    }),
    // A failure says its seed and its steps; what is real takes too long to shrink.
    { numRuns: 15, endOnFailure: true },
  );
});
