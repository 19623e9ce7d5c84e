import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import fc from 'fast-check';
import { postMessage } from '../../src/sessions/post-entry.ts';
import { recoverSessions } from '../../src/sessions/recovery.ts';
import { beginTurn, endTurn } from '../../src/sessions/turns.ts';
import { nextTurn, pendingWakes } from '../../src/sessions/wakes.ts';
import { hostFloor } from '../host-floor.ts';
import { ADA, NO_USAGE, type Room, room } from './session-room.ts';

type Step =
  | { readonly do: 'post' | 'deliver' | 'direct'; readonly to: readonly string[] }
  | { readonly do: 'begin' | 'end' | 'restart' };

const to = fc.uniqueArray(fc.constantFrom('ann', 'bob'), { maxLength: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('post' as const, 'deliver' as const), to }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('direct' as const), to }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('begin' as const, 'end' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

/** What should happen, in a few lines: a queue of (agent, text), and groups taken from its front. */
class Model {
  readonly queue: { readonly agent: string; readonly text: string; readonly directive: boolean }[] = [];
  readonly turns: { readonly agent: string; readonly texts: readonly string[] }[] = [];
  running = false;

  say(text: string, agents: readonly string[], directive: boolean): void {
    const woken = directive || agents.length === 0 ? ['ann'] : agents;
    for (const agent of woken) this.queue.push({ agent, text, directive });
  }

  begin(): boolean {
    const [first] = this.queue;
    if (this.running || first === undefined) return false;
    let end = 1;
    while (!first.directive && this.queue[end]?.agent === first.agent && this.queue[end]?.directive === false)
      end += 1;
    this.turns.push({ agent: first.agent, texts: this.queue.splice(0, end).map(({ text }) => text) });
    this.running = true;
    return true;
  }
}

test('in any order of messages, turns and restarts each entry is answered once by each agent that it wakes, in order', async (t) => {
  hygiene(t);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      run += 1;
      const host = await hostFloor(t, { seed: run });
      let boot = 1;
      let made: Room = await room(t, { host, boot: 'boot_1' });
      await made.fed();
      const ids = new Map<string, string>();
      for (const name of ['ann', 'bob']) ids.set(name, (await made.agents.create(name)).id);
      const nameOf = (id: string) => [...ids].find(([, known]) => known === id)?.[0] ?? '';
      const session = await made.sessions.create({ agents: ['ann', 'bob'] });
      const model = new Model();
      let running: { readonly turn: string; readonly agent: string } | undefined;
      let count = 0;
      const seen: { agent: string; texts: string[] }[] = [];
      for (const taken of [
        ...steps,
        ...Array.from({ length: 60 }, (_, n) => ({ do: n % 2 === 0 ? 'begin' : 'end' }) as Step),
      ]) {
        count += 1;
        switch (taken.do) {
          case 'post':
          case 'deliver':
          case 'direct': {
            const text = `${count} ${taken.to.map((name) => `@${name}`).join(' ')}`;
            if (taken.do === 'post') await postMessage(made, { session, text, key: `${count}`, from: ADA });
            else if (taken.do === 'deliver')
              await made.say(
                session,
                { type: 'message', text, mentions: [] },
                { kind: 'client', id: 'ext:irc/x' },
              );
            else await made.say(session, { type: 'directive', text }, { kind: 'schedule', id: 's' });
            await made.fed();
            model.say(text, taken.to, taken.do === 'direct');
            break;
          }
          case 'begin': {
            const next = nextTurn(await pendingWakes(made.store, session));
            const may = model.begin();
            if (!may && next === undefined) break;
            const agent = {
              id: next?.agent ?? ids.get('ann') ?? '',
              name: nameOf(next?.agent ?? '') || 'ann',
            };
            const turn = `trn_${count}`;
            const begun = beginTurn(made, {
              turn,
              session,
              agent,
              model: 'local/m',
              wakes: next?.wakes ?? [],
            });
            if (!may) {
              await assert.rejects(begun, { code: 'turn_running' });
              break;
            }
            await begun;
            running = { turn, agent: agent.id };
            const texts: string[] = [];
            for (const { entry } of next?.wakes ?? []) {
              const row = await (await made.sessions.open(session)).table('entries').at(entry);
              assert.ok(row !== undefined);
              texts.push((row.value as { text: string }).text);
            }
            seen.push({ agent: agent.name, texts });
            break;
          }
          case 'end':
            if (running === undefined) break;
            await endTurn(made, {
              ...{ turn: running.turn, session, agent: { id: running.agent, name: nameOf(running.agent) } },
              ...{ status: 'completed', usage: NO_USAGE, nanousd: null, steps: 1 },
            });
            running = undefined;
            model.running = false;
            break;
          case 'restart': {
            boot += 1;
            await made.stop();
            made = await room(t, { host, boot: `boot_${boot}` });
            const { turns } = await recoverSessions(made, made);
            assert.deepEqual(
              turns.map(({ turn }) => turn),
              running === undefined ? [] : [running.turn],
            );
            running = undefined;
            model.running = false;
            await made.fed();
          }
        }
      }
      assert.deepEqual(seen, model.turns);
      assert.equal(model.queue.length, 0);
      assert.ok((await made.wakes(session)).every((wake) => wake.endsWith(':done')));
      await host.close();
    }),
    { numRuns: 15 },
  );
});
