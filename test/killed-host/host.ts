/**
 * A host that stops itself at a named step of a tool call, for the test to kill it there: `host.ts DIRECTORY STEP` writes `at STEP` and
 * stands still. With the step `again` it opens the same directory, says what it found, goes on, and ends.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { type JsonObject, systemClock } from '@fairlead/base';
import { defineExtension } from '@fairlead/extension';
import type { AgentHost, HeardEvent } from '@fairlead/host';
import type { Peer, Store, Tx } from '@fairlead/store';
import { openFloor } from './open-floor.ts';

const [folder = '', step = '', tool = 'stamp'] = process.argv.slice(2);
const effects = join(folder, 'effects');
const script = {
  format: 'fairlead-script-v1',
  scripts: {
    default: [
      {
        steps: [
          { calls: [{ tool, arguments: tool === 'shell' ? { command: commandLine() } : {} }] },
          { text: 'done' },
        ],
      },
      { steps: [{ text: 'went on' }] },
    ],
  },
};

function commandLine(): string {
  return `echo ran >> ${effects}; sleep 600 & echo here > ${join(folder, 'here')}; sleep 600`;
}

function reach(name: string): void {
  if (name !== step) return;
  // A killed process leaves no compile cache by itself.
  module.flushCompileCache();
  writeSync(1, `at ${name}\n`);
  process.kill(process.pid, 'SIGSTOP');
}

/** What it does leaves a line; it says nothing of its own, so that only the journal can tell. */
const stamp = defineExtension({
  name: 'stamp',
  version: '1.0.0',
  tools: {
    stamp: {
      about: 'Stamps.',
      approval: 'always',
      run() {
        reach('before the effect');
        appendFileSync(effects, 'ran\n');
        reach('after the effect');
        return 'stamped';
      },
    },
  },
  on: {
    toolCall: () => reach('judged'),
    toolResult: () => reach('settled'),
  },
});

const clock = systemClock();
await using floor = await openFloor({ folder, clock, script, extension: stamp });
const { store, peer, prepared, hub } = floor;
stopAtTransactions(peer, store);
await using host = await prepared.start(hub);
await (step === 'again' ? lookAgain(host) : begin(host));

async function begin(running: AgentHost): Promise<void> {
  const session = await running.newSession({ agents: ['ann'] });
  writeFileSync(join(folder, 'session'), session);
  await running.events.subscribe(session, {}, (event) => decide(running, event));
  await running.post({ session, text: 'Do it.', from: { kind: 'person', id: 'person:1' } });
  await running.idle();
  // The turn that ended before the step came is no test of it.
  throw new Error(`the step ${step} did not come`);
}

/** Approves what is asked, once the question is on disk. */
function decide(running: AgentHost, event: HeardEvent): boolean {
  if (event.kind === 'approval' && event.state === 'open') {
    reach('asked');
    const by = { id: 'person:1', scopes: ['session:approve'] };
    void running.approvals.decide(event.approval, { decision: 'approve', by, via: 'test' });
  }
  return true;
}

/** Before and after each transaction that a call writes. */
function stopAtTransactions(of: Peer, rows: Store): void {
  const transaction = of.transaction.bind(of);
  of.transaction = async (work, durability) => {
    const written: string[] = [];
    const result = await transaction((tx) => {
      const made = work(watched(tx, written));
      if (written.includes('tool_call')) reach('before the intent');
      if (written.includes('tool_result')) reach('before the result');
      return made;
    }, durability);
    if (written.includes('tool_call')) reach('intended');
    if (written.includes('tool_result')) reach('told');
    return result;
  };
  const write = rows.write.bind(rows);
  rows.write = async (statements, durability) => {
    if (statements.some(({ sql }) => sql.includes('text = ?'))) reach('before the end');
    return await write(statements, durability);
  };
}

function watched(tx: Tx, written: string[]): Tx {
  return {
    create: (...given) => tx.create(...given),
    write: (...given) => tx.write(...given),
    on(database) {
      const on = tx.on(database);
      const append: typeof on.append = (table, value) => {
        written.push(String((value as JsonObject)['type']));
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

async function lookAgain(running: AgentHost): Promise<void> {
  const session = readFileSync(join(folder, 'session'), 'utf8');
  const found = await told(running, session);
  await running.continueTurn(session).catch((error: unknown) => {
    // A start that finds everything said has no turn to go on with.
    if ((error as { code?: unknown }).code !== 'nothing_to_continue') throw error;
  });
  await running.idle();
  const { interruptedCalls, results, approvals } = running.recovered;
  const ran = existsSync(effects) ? readFileSync(effects, 'utf8').split('\n').length - 1 : 0;
  const since = (await told(running, session)).slice(found.length);
  const rows = await store.read('SELECT certainty, code, result_owed, text FROM journal ORDER BY seq');
  const said = { found, since, ran, rows, recovered: { interruptedCalls, results, approvals } };
  writeSync(1, `${JSON.stringify(said)}\n`);
}

async function told(running: AgentHost, session: string): Promise<readonly string[]> {
  const told: string[] = [];
  for await (const { value } of (await running.sessions.open(session)).table('entries').scan()) {
    const { type, text, certainty, code, decision, via, status, resumes } = value as Record<string, string>;
    const words = [type, certainty ?? decision ?? status, code ?? via, type === 'tool_call' ? null : text];
    told.push([...words, resumes === undefined ? null : 'resumes'].filter(Boolean).join(' '));
  }
  return told;
}
