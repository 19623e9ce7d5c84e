import type { FairleadError } from '@fairlead/base';
import { hostError } from '../errors.ts';
import type { Ceiling } from '../models/step/attempt-ledger.ts';
import type { Amount, UsageSettings } from './ceilings.ts';

const WHOSE = { turn: 'turn', session: 'session', agent_day: 'agent’s day', day: 'day' } as const;

/** `ceiling_reached` with whose ceiling it is and where it stands, as the turn tells it. */
export function ceilingError(ceiling: Ceiling): FairleadError {
  const { scope, unit, limit, used } = ceiling;
  const amount = unit === 'tokens' ? tokens : usd;
  const what = `of a ${WHOSE[scope]}: ${amount(limit)}, ${amount(used)} used`;
  return hostError('ceiling_reached', what, { scope, unit, limit, used });
}

/** What holds, in one sentence for each ceiling, and which models only obey tokens: said at the first start, and by `/costs`. */
export function ceilingWords(
  { ceilings, zone }: UsageSettings,
  unpriced: readonly string[] = [],
): readonly string[] {
  const days = `, by the days of ${zone}`;
  return [
    sentence('A turn', ceilings.turn),
    sentence('A session', ceilings.session),
    sentence('An agent', ceilings.agentDay, days),
    sentence('This host', ceilings.day, days),
    ...(unpriced.length === 0
      ? []
      : [`Without a price, these models obey the ceilings on tokens alone: ${unpriced.join(', ')}.`]),
  ];
}

function sentence(who: string, amount: Amount, days = ''): string {
  const parts = [
    ...(amount.tokens > 0 ? [tokens(amount.tokens)] : []),
    ...(amount.nanousd > 0 ? [usd(amount.nanousd)] : []),
  ];
  return parts.length === 0 ? `${who} has no ceiling.` : `${who} stops at ${parts.join(' or ')}${days}.`;
}

function tokens(count: number): string {
  return `${count.toLocaleString('en')} tokens`;
}

/** Cents, and the fraction of one that is there. */
function usd(nanousd: number): string {
  const [whole = '0', fraction = ''] = (nanousd / 1e9).toFixed(9).split('.');
  return `${Number(whole).toLocaleString('en')}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')} USD`;
}
