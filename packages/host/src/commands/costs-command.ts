import { columns, counted } from './columns.ts';
import { form, type HostCommand } from './host-command.ts';

const costs = form(
  {
    words: 'costs',
    about: 'What this session’s model calls cost, and the ceilings.',
    scope: 'session:read',
    args: {},
  },
  async ({ ports, session }) => {
    const models = await ports.ledger.costs(session);
    const total = {
      attempts: sum(models, ({ attempts }) => attempts),
      input: sum(models, ({ input }) => input),
      output: sum(models, ({ output }) => output),
      nanousd: sum(models, ({ nanousd }) => nanousd),
      unpriced: sum(models, ({ unpriced }) => unpriced),
      estimated: sum(models, ({ estimated }) => estimated),
    };
    const rows = [...models.map((one) => ({ ...one })), { model: 'all', ...total }].map((one) => [
      one.model,
      counted(one.attempts, 'request'),
      `${one.input.toLocaleString('en')} in`,
      `${one.output.toLocaleString('en')} out`,
      money(one),
      one.estimated > 0 ? `${one.estimated} estimated` : '',
    ]);
    const spent =
      models.length === 0
        ? 'No model was asked here yet.'
        : columns(models.length > 1 ? rows : rows.slice(0, 1));
    return {
      text: [spent, ...ports.ceilings].join('\n'),
      data: { session, models: models.map((one) => ({ ...one })), total, ceilings: ports.ceilings },
    };
  },
);

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

function money({
  nanousd,
  attempts,
  unpriced,
}: {
  nanousd: number;
  attempts: number;
  unpriced: number;
}): string {
  if (unpriced === attempts) return 'no price';
  const usd = `${(nanousd / 1e9).toFixed(4)} USD`;
  return unpriced === 0 ? usd : `${usd}, ${unpriced} without a price`;
}

export const costsCommand: HostCommand = {
  name: 'costs',
  aliases: ['cost', 'usage'],
  about: costs.about,
  forms: [costs],
};
