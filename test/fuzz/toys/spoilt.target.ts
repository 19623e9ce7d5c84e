import type { Target } from '../engine/target.ts';

const held: unknown[] = [];

/** Planted faults that do not throw: each is opened by a letter. */
export const target: Target = {
  name: 'spoilt',
  holds: 'nothing hangs, hoards, strays or takes long',
  covers: ['test/fuzz/toys/spoilt.target.ts'],
  form: 'text',
  maxBytes: 64,
  stepMs: 50,
  seeds: () => [],
  open: async () => ({
    run: (input) => {
      const text = Buffer.from(input).toString();
      if (text.includes('H')) for (;;);
      if (text.includes('M')) for (;;) held.push(new Array(10_000).fill(text));
      if (text.includes('R')) void Promise.reject(new RangeError('nobody waits'));
      if (text.includes('S'))
        for (const before = process.threadCpuUsage(); process.threadCpuUsage(before).user < 80_000; );
      if (text.includes('T')) throw new TypeError('thrown');
    },
  }),
};
