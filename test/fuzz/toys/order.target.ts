import { Broken, type Target } from '../engine/target.ts';

/** Breaks at a list of three or more of which one has a negative count, somewhere below. */
function readOrder(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const items: unknown = Reflect.get(value, 'items');
  if (Array.isArray(items) && items.length >= 3) for (const item of items) readItem(item);
  for (const below of Object.values(value)) readOrder(below);
}

function readItem(item: unknown): void {
  if (typeof item !== 'object' || item === null) return;
  const count: unknown = Reflect.get(item, 'count');
  if (typeof count === 'number' && count < 0) throw new Broken('a count is not negative');
}

/** A planted fault in the structure of a value. */
export const target: Target = {
  name: 'order',
  holds: 'no count is negative',
  covers: ['test/fuzz/toys/order.target.ts'],
  form: 'json',
  maxBytes: 4_096,
  seeds: () => [
    '{"name":"a","lines":[{"items":[{"name":"x","count":2}]},{"note":"some more text"}],"paid":true}',
  ],
  open: async () => ({
    run: (input) => {
      try {
        readOrder(JSON.parse(Buffer.from(input).toString()));
      } catch (error) {
        if (error instanceof Broken) throw error;
      }
    },
  }),
};
