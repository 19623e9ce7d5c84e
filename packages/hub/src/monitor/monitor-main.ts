// The program of the monitoring thread. Loaded anywhere else it does nothing.
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import {
  ACTIVITY,
  isMonitorOrder,
  type MonitorMessage,
  type MonitorOrder,
  type NamedNumber,
} from './monitor-order.ts';

type Port = NonNullable<typeof parentPort>;

if (parentPort !== null && isMonitorOrder(workerData)) watch(parentPort, workerData);

/**
 * While the watched thread is in an extension's code, it is asked for a sign of life. A thread that runs many short handlers
 * answers between two of them; one that a handler keeps does not, and is then told of from here.
 */
function watch(port: Port, order: MonitorOrder): void {
  const { memory, pollMs, silenceMs, descriptor } = order;
  const activity = new Int32Array(memory);
  const names = new Map<number, string>();
  const tell = (message: MonitorMessage): void => port.postMessage(message);
  let question = 0;
  let askedAtMs = 0;
  let blocked = 0;
  port.on('message', ({ number, name }: NamedNumber) => names.set(number, name));

  const look = (): void => {
    const now = performance.now();
    if (Atomics.load(activity, ACTIVITY.answered) !== question) {
      const held = now - askedAtMs;
      const number = Atomics.load(activity, ACTIVITY.extension);
      if (blocked === 0 && number !== 0 && held >= silenceMs) {
        blocked = number;
        say(descriptor, names.get(number) ?? `number ${number}`, Math.round(held));
        tell({ blocked, heldMs: Math.round(held), over: false });
      }
      return;
    }
    if (blocked !== 0) tell({ blocked, heldMs: Math.round(now - askedAtMs), over: true });
    blocked = 0;
    if (Atomics.load(activity, ACTIVITY.extension) === 0) return;
    question += 1;
    askedAtMs = now;
    tell({ ask: question });
  };
  setInterval(look, pollMs);
}

/** Written from here, because the watched thread writes nothing while it is kept. */
function say(descriptor: number, name: string, heldMs: number): void {
  try {
    writeSync(
      descriptor,
      `fairlead: the host's thread has not answered for ${heldMs} ms while the extension ${name} runs in it; nothing else runs until it returns\n`,
    );
  } catch {
    // A closed standard error: the report that follows says the same.
  }
}
