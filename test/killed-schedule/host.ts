/**
 * A host with an agent's schedule that stops itself at a named step of a slot, for the test to kill it there: `host.ts DIRECTORY STEP TARGET`
 * writes `at STEP` and stands still. With the step `again` it opens the same directory a few seconds later, goes on, says what it found, and
 * ends.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { type Clock, type JsonObject, systemClock } from '@fairlead/base';
import { defineExtension } from '@fairlead/extension';
import type { AgentHost } from '@fairlead/host';
import type { Peer, Store, Tx } from '@fairlead/store';
import { openFloor } from '../killed-host/open-floor.ts';

const [folder = '', step = '', kind = 'cron'] = process.argv.slice(2);
const effects = join(folder, 'effects');
/** The slot that all is about. */
const DUE = Date.UTC(2026, 0, 1, 1);
/** Steps that are entries of the session. */
const ENTRIES: Readonly<Record<string, string>> = { ack: 'the ack', turn_end: 'the turn’s end' };
const turn = { steps: [{ calls: [{ tool: 'stamp', arguments: {} }] }, { text: 'Stamped.' }] };
const script = { format: 'fairlead-script-v1', scripts: { default: [turn, turn, turn] } };

function reach(name: string): void {
  if (name !== step) return;
  // A killed process leaves no compile cache by itself.
  module.flushCompileCache();
  writeSync(1, `at ${name}\n`);
  process.kill(process.pid, 'SIGSTOP');
}

const stamp = defineExtension({
  name: 'stamp',
  version: '1.0.0',
  tools: {
    stamp: {
      about: 'Stamps.',
      approval: 'never',
      run() {
        reach('before the effect');
        appendFileSync(effects, 'ran\n');
        reach('after the effect');
        return 'stamped';
      },
    },
  },
});

const time = standingAt(systemClock(), step === 'again' ? DUE + 5000 : DUE - 400);
const { clock } = time;
await using floor = await openFloor({ folder, clock, script, extension: stamp });
const { store, peer, prepared, hub } = floor;
stopAtWrites(peer, store);
await using host = await prepared.start(hub);
await (step === 'again' ? lookAgain(host) : begin(host));

/** The machine's clock at another moment, where it stands until it is told to go. */
function standingAt(machine: Clock, wallMs: number) {
  let began: number | undefined;
  const clock: Clock = {
    monotonicMs: () => machine.monotonicMs(),
    wallMs: () => wallMs + (began === undefined ? 0 : machine.wallMs() - began),
    setTimer: (delayMs, fire) => machine.setTimer(delayMs, fire),
  };
  const goes = () => {
    began = machine.wallMs();
  };
  return { clock, goes };
}

/** Before and after each commit that belongs to a slot. */
function stopAtWrites(of: Peer, rows: Store): void {
  const transaction = of.transaction.bind(of);
  of.transaction = async (work, durability) => {
    const seen: string[] = [];
    const result = await transaction((tx) => {
      const made = work(watched(tx, seen));
      for (const name of seen) reach(`before ${name}`);
      return made;
    }, durability);
    for (const name of seen) reach(`after ${name}`);
    return result;
  };
  const write = rows.write.bind(rows);
  rows.write = async (statements, durability) => {
    const seen = statements.flatMap(({ sql, parameters }) => nameOf(sql, parameters ?? []));
    for (const name of seen) reach(`before ${name}`);
    const written = await write(statements, durability);
    for (const name of seen) reach(`after ${name}`);
    return written;
  };
}

/** Which step of a slot a statement is. */
function nameOf(sql: string, parameters: readonly unknown[]): readonly string[] {
  if (sql.startsWith('INSERT INTO slots') && parameters.includes('claimed')) return ['the claim'];
  if (sql.startsWith("UPDATE slots SET state = 'running'")) return ['the directive'];
  return sql.startsWith('UPDATE slots SET state = ?') ? ['the slot’s end'] : [];
}

function watched(tx: Tx, seen: string[]): Tx {
  return {
    create: (...given) => tx.create(...given),
    write: (sql, parameters, changes) => {
      seen.push(...nameOf(sql, parameters ?? []));
      return tx.write(sql, parameters, changes);
    },
    on(database) {
      const on = tx.on(database);
      const append: typeof on.append = (table, value) => {
        const name = ENTRIES[String((value as JsonObject)['type'])];
        if (name !== undefined) seen.push(name);
        return on.append(table, value);
      };
      return new Proxy(on, {
        get: (_target, name) => {
          if (name === 'append') return append;
          const member = Reflect.get(on, name) as unknown;
          return typeof member === 'function' ? member.bind(on) : member;
        },
      });
    },
  };
}

async function begin(running: AgentHost): Promise<void> {
  const session = await running.newSession({ agents: ['ann'] });
  writeFileSync(join(folder, 'session'), session);
  const when = kind === 'at' ? 'at 2026-01-01T01:00:00Z' : '0 * * * *';
  await typed(
    running,
    session,
    `/schedule add stamp "${when}" ${kind === 'cron' ? '--fresh' : ''} Stamp it.`,
  );
  time.goes();
  // It is ended long before; what keeps it alive until then.
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  throw new Error(`the step ${step} did not come`);
}

async function lookAgain(running: AgentHost): Promise<void> {
  time.goes();
  const session = readFileSync(join(folder, 'session'), 'utf8');
  await running.idle();
  const slots = await store.read<SlotRow>(
    'SELECT due, state, outcome, code, session FROM slots ORDER BY due',
  );
  const asked: string[] = [];
  for (const of of new Set([session, ...slots.flatMap((slot) => slot.session ?? [])]))
    for await (const { value } of (await running.sessions.open(of)).table('entries').scan()) {
      const { type, status } = value as Record<string, string>;
      if (type === 'directive' || type === 'turn_end') asked.push([type, status].filter(Boolean).join(' '));
    }
  const ran = existsSync(effects) ? readFileSync(effects, 'utf8').split('\n').length - 1 : 0;
  const listed = await typed(running, session, '/schedule');
  const history = await typed(running, session, '/schedule history stamp').catch(() => '');
  const said = {
    slots: slots.map(({ due, state, outcome, code }) =>
      [new Date(due).toISOString().slice(11, 16), state, outcome, code].filter(Boolean).join(' '),
    ),
    ...{ asked, ran, listed, history },
  };
  writeSync(1, `${JSON.stringify(said)}\n`);
}

interface SlotRow {
  readonly due: number;
  readonly state: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly session: string | null;
}

async function typed(running: AgentHost, session: string, line: string): Promise<string> {
  const by = { id: 'person:1', scopes: ['session:read', 'session:write'] };
  const answer = await running.command({ session, line, by });
  if ('error' in answer) throw new Error(`${line}: ${answer.error.code}`);
  return answer.text;
}
