import type { Carrier } from './carrier.ts';
import { MessageQueue } from './message-queue.ts';

/** Two ends of one carrier inside a process, for two peers in it. */
export function memoryCarriers(): readonly [Carrier, Carrier] {
  const queues = [new MessageQueue(), new MessageQueue()] as const;
  const close = () => {
    for (const queue of queues) queue.end();
  };
  const end = (reads: MessageQueue, writes: MessageQueue): Carrier => ({
    messages: reads,
    send: async (text) => {
      writes.push(Buffer.from(text));
      // The other side is read by whoever runs next: a sender that never waits would never let it.
      await new Promise<void>((resolve) => setImmediate(resolve));
    },
    close,
  });
  return [end(queues[0], queues[1]), end(queues[1], queues[0])];
}
