import { cronProblem, nextOfCron, slotsOfCron } from '../../../packages/host/src/routines/cron-pattern.ts';
import { readTrigger } from '../../../packages/host/src/routines/trigger.ts';
import { hold, type Target } from '../engine/target.ts';

const ZONES = ['UTC', 'Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia'];
const FROM = Date.UTC(2020, 0, 1);
const SPAN = 12 * 366 * 86_400_000;

/** An input is a pattern; its length and first bytes choose the zone and the moment. */
export const target: Target = {
  name: 'cron-pattern',
  holds:
    'a pattern is refused with a reason, or is due at whole seconds, later and later, and asking again gives the same; no pattern takes long',
  covers: [
    'packages/host/src/routines/cron-pattern.ts',
    'packages/host/src/routines/trigger.ts',
    'node_modules/croner/dist/croner.js',
  ],
  form: 'text',
  maxBytes: 400,
  words: [
    ...[
      '*',
      '*/5',
      '0',
      '59',
      '23',
      '31',
      '7',
      '1-5',
      '5-1',
      '0/15',
      'L',
      '15W',
      'LW',
      '5#2',
      '5L',
      '?',
      '+',
      ',',
    ],
    ...[
      'JAN',
      'FEB-DEC',
      'mon',
      'SUN#5',
      '@daily',
      '@reboot',
      '2024',
      '2024-2030/2',
      '9999',
      '\t',
      '\n',
      '29',
      'W',
    ],
  ],
  seeds: () => [
    '*/5 * * * *',
    '0 9 * * MON-FRI',
    '30 2 29 2 *',
    '0 0 0 L * 5#2 2026-2030',
    '15 30 2 15W */3 SUN',
    '@monthly',
  ],
  open: async () => ({ run: judge }),
};

function judge(input: Uint8Array): void {
  const pattern = Buffer.from(input).toString('utf8');
  const zone = ZONES[pattern.length % ZONES.length] ?? 'UTC';
  const at = FROM + (((input[0] ?? 0) * 65_536 + (input[1] ?? 0) * 256 + (input[2] ?? 0)) / 2 ** 24) * SPAN;
  const after = Math.floor(at);
  const problem = cronProblem(pattern, zone);
  const reading = readTrigger({ kind: 'cron', cron: pattern }, zone);
  hold(reading.ok === (problem === undefined), 'a trigger is read as its pattern is');
  if (problem !== undefined) {
    hold(problem.length > 0 && problem.length < 400, 'a refusal has a short reason', () => problem);
    return;
  }
  const due = nextOfCron(pattern, zone, after);
  if (due === null) return;
  hold(due > after, 'due later than asked', () => `${pattern} ${after} ${due}`);
  hold(due % 1000 === 0, 'due at a whole second', () => `${pattern} ${due}`);
  hold(
    nextOfCron(pattern, zone, due - 1) === due,
    'the moment before gives the same',
    () => `${pattern} ${zone} ${due}`,
  );
  let before = after;
  let count = 0;
  for (const slot of slotsOfCron(pattern, zone, after)) {
    hold(slot > before, 'later and later', () => `${pattern} ${zone} ${before} ${slot}`);
    before = slot;
    count += 1;
    if (count === 5) break;
  }
}
