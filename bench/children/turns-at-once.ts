// Lets 200 sessions take turns at once in a store below the folder that it is given, and prints as JSON: by how many bytes resident memory
// had grown for each while all of them were inside a call of a tool, beyond what their open databases take; how long the turns of a second
// round took; and how many of those ended in a second. In a process of its own: one that has done other work has room for them already. Needs
// --expose-gc.
import { TurnHost, type TurnHostOptions } from '../harness/turn-host.ts';

const SESSIONS = 200;
const EXTENSIONS = 50;
/** Of throughput: enough that the slowest in a hundred is somebody. */
const TURNS = 5;

/** Opens when all have come, if it is shut. */
class Gate {
  #left = 0;
  #open: () => void = () => {};
  #all: () => void = () => {};
  #opened = Promise.resolve();

  /** Shuts it; resolves when `count` stand before it. */
  shut(count: number): Promise<void> {
    this.#left = count;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    return new Promise((resolve) => {
      this.#all = resolve;
    });
  }

  open(): void {
    this.#open();
  }

  async pass(): Promise<void> {
    this.#left -= 1;
    if (this.#left === 0) this.#all();
    await this.#opened;
  }
}

const gate = new Gate();
await using stack = new AsyncDisposableStack();
const options: TurnHostOptions = {
  folder: process.argv[2] ?? '.',
  extensions: EXTENSIONS,
  turns: TURNS + 1,
  inTool: () => gate.pass(),
};
const host = await TurnHost.open(options, stack);
const warm = await host.newSession();
for (let count = 0; count <= TURNS; count += 1) await answered(warm);
const sessions: string[] = [];
for (let count = 0; count < SESSIONS; count += 1) sessions.push(await host.newSession());
for (const session of sessions) await host.say(session);

const before = residentBytes();
const inside = gate.shut(SESSIONS);
const turns = sessions.map((session) => host.turn(session));
await inside;
const bytes = Math.max(0, residentBytes() - before) / SESSIONS;
gate.open();
await Promise.all(turns);

const startedMs = performance.now();
const taken = await Promise.all(sessions.map(async (session) => await takeTurns(session)));
const seconds = (performance.now() - startedMs) / 1000;
console.log(JSON.stringify({ bytes, perSecond: (SESSIONS * TURNS) / seconds, ms: taken.flat() }));

async function takeTurns(session: string): Promise<readonly number[]> {
  const ms: number[] = [];
  for (let count = 0; count < TURNS; count += 1) ms.push(await answered(session));
  return ms;
}

async function answered(session: string): Promise<number> {
  await host.say(session);
  const sinceMs = performance.now();
  await host.turn(session);
  return Math.round(1000 * (performance.now() - sinceMs)) / 1000;
}

/** What is left once the collector has run: it gives back what making the sessions took. */
function residentBytes(): number {
  for (let times = 0; times < 3; times += 1) globalThis.gc?.();
  return process.memoryUsage.rss();
}
