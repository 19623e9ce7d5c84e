import type { Target } from '../engine/target.ts';

/** Planted faults of which many inputs in a row have one of two, and none is told before the event loop turns. */
export const target: Target = {
  name: 'strays',
  holds: 'nothing is rejected with nobody waiting',
  covers: ['test/fuzz/toys/strays.target.ts'],
  form: 'bytes',
  maxBytes: 64,
  seeds: () => ['a'],
  open: async () => ({
    run: (input) => {
      if (input.length < 2) return;
      void Promise.reject(input.length % 2 === 0 ? new RangeError('even') : new TypeError('odd'));
    },
  }),
};
