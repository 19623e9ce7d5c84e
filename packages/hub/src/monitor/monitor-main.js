// @ts-check
// The program of the monitoring thread. Loaded anywhere else it does nothing. Plain JavaScript and one file: to read TypeScript, a new
// thread first loads a compiler, which costs three times what the thread does.
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { MonitorMessage, MonitorOrder, NamedNumber } from './monitor-order.ts' */

if (parentPort !== null && workerData?.fairlead === 'monitor') watch(parentPort, workerData);

/**
 * While the watched thread is in an extension's code, it is asked for a sign of life. A thread that runs many short handlers
 * answers between two of them; one that a handler keeps does not, and is then told of from here.
 * @param {NonNullable<typeof parentPort>} port
 * @param {MonitorOrder} order
 */
function watch(port, { memory, cells, pollMs, silenceMs, descriptor }) {
  const activity = new Int32Array(memory);
  /** @type {Map<number, string>} */
  const names = new Map();
  /** @param {MonitorMessage} message */
  const tell = (message) => port.postMessage(message);
  let question = 0;
  let askedAtMs = 0;
  let blocked = 0;
  port.on('message', (/** @type {NamedNumber} */ { number, name }) => names.set(number, name));

  const look = () => {
    const now = performance.now();
    if (Atomics.load(activity, cells.answered) !== question) {
      const held = now - askedAtMs;
      const number = Atomics.load(activity, cells.extension);
      if (blocked === 0 && number !== 0 && held >= silenceMs) {
        blocked = number;
        say(descriptor, names.get(number) ?? `number ${number}`, Math.round(held));
        tell({ blocked, heldMs: Math.round(held), over: false });
      }
      return;
    }
    if (blocked !== 0) tell({ blocked, heldMs: Math.round(now - askedAtMs), over: true });
    blocked = 0;
    if (Atomics.load(activity, cells.extension) === 0) return;
    question += 1;
    askedAtMs = now;
    tell({ ask: question });
  };
  setInterval(look, pollMs);
}

/**
 * Written from here, because the watched thread writes nothing while it is kept.
 * @param {number} descriptor
 * @param {string} name
 * @param {number} heldMs
 */
function say(descriptor, name, heldMs) {
  try {
    writeSync(
      descriptor,
      `fairlead: the host's thread has not answered for ${heldMs} ms while the extension ${name} runs in it; nothing else runs until it returns\n`,
    );
  } catch {
    // A closed standard error: the report that follows says the same.
  }
}
