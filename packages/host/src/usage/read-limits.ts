import { type ConfigurationReading, readConfiguration, type TableReader } from '../configuration/table.ts';
import { ceilingDefaults, usageLimits } from '../limits.ts';
import { isZone } from './calendar-day.ts';
import type { Amount, UsageSettings } from './ceilings.ts';

/** The keys of `[limits]` that are read here. */
export const usageKeys: readonly string[] = [
  'turn_tokens',
  'turn_usd',
  'session_tokens',
  'session_usd',
  'agent_day_tokens',
  'agent_day_usd',
  'day_tokens',
  'day_usd',
  'zone',
  'model_calls',
  'schedules_per_agent',
  'schedule_min_secs',
].map((key) => `limits.${key}`);

/** Reads ceilings, zone and the cap on model calls from `[limits]` of a parsed `fairlead.toml`. `machineZone` holds where no zone is given. */
export function readUsageSettings(
  document: Readonly<Record<string, unknown>>,
  machineZone: string,
): ConfigurationReading<UsageSettings> {
  return readConfiguration(document, (root) => {
    const limits: TableReader = root.table('limits');
    const zone =
      limits.text('zone', 64, 'must be the name of a time zone, such as Europe/Berlin') ?? machineZone;
    if (!isZone(zone)) limits.refuse('zone', 'must be the name of a time zone, such as Europe/Berlin');
    const { modelCalls, modelCallsMax } = usageLimits;
    return {
      ceilings: {
        turn: amountIn(limits, 'turn', ceilingDefaults.turn),
        session: amountIn(limits, 'session', ceilingDefaults.session),
        agentDay: amountIn(limits, 'agent_day', ceilingDefaults.agentDay),
        day: amountIn(limits, 'day', ceilingDefaults.day),
      },
      zone,
      schedules: {
        perAgent: limits.whole('schedules_per_agent', 0, usageLimits.schedulesMax) ?? usageLimits.schedules,
        minSecs:
          limits.whole('schedule_min_secs', 1, usageLimits.scheduleMinMaxSecs) ?? usageLimits.scheduleMinSecs,
      },
      modelCalls: limits.whole('model_calls', 1, modelCallsMax) ?? modelCalls,
    };
  });
}

function amountIn(limits: TableReader, name: string, defaults: Amount): Amount {
  const usd = limits.number(`${name}_usd`, 0, usageLimits.ceilingUsdMax);
  return {
    tokens: limits.whole(`${name}_tokens`, 0, usageLimits.ceilingTokensMax) ?? defaults.tokens,
    nanousd: usd === undefined ? defaults.nanousd : Math.round(usd * 1_000_000_000),
  };
}
