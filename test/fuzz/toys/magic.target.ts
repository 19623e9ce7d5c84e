import type { Target } from '../engine/target.ts';
import { readMagic } from './magic.ts';

/** A planted fault that chance alone finds once in sixteen million inputs. */
export const target: Target = {
  name: 'magic',
  holds: 'no input says the magic',
  covers: ['test/fuzz/toys/magic.ts'],
  form: 'bytes',
  maxBytes: 64,
  seeds: () => ['....................'],
  open: async () => ({ run: readMagic }),
};
