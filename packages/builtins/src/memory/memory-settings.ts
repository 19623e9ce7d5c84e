import { type Json, s } from '@fairlead/extension';
import { toolFault } from '../errors.ts';
import { memoryTextLimits } from '../limits.ts';

const { recalled, recalledMax, near } = memoryTextLimits;

/** How the memory of an agent comes up by itself. */
export const MEMORY_SETTINGS = {
  auto_recall_enabled: s.boolean({
    default: true,
    description: 'Memories that fit stand behind each message',
  }),
  max_entries: s.integer({ default: recalled, minimum: 1, maximum: recalledMax }),
  auto_recall_banks: s.optional(
    s.array(s.string(), {
      maxItems: memoryTextLimits.banks,
      description: 'Names of banks, beside those of the session; absent: all that were granted',
    }),
  ),
  auto_recall_min_score: s.number({
    default: near,
    minimum: 0,
    maximum: 1,
    description: 'How near in meaning is near enough, by cosine',
  }),
  banks: s.array(s.string(), {
    default: [],
    maxItems: memoryTextLimits.banks,
    description: 'Ids of the banks that are attached to the session',
  }),
};

/** What `/memory config` sets for an agent; `banks` is the session's. */
export const AGENT_SETTINGS = [
  'auto_recall_enabled',
  'max_entries',
  'auto_recall_banks',
  'auto_recall_min_score',
] as const;

/** A value as a person types it. Throws `memory_line_invalid`. */
export function settingValue(key: string, text: string): Json {
  switch (key) {
    case 'auto_recall_enabled':
      if (text === 'true' || text === 'false') return text === 'true';
      return invalid('auto_recall_enabled is true or false');
    case 'max_entries': {
      const count = Number(text);
      if (/^\d{1,2}$/.test(text) && count >= 1 && count <= recalledMax) return count;
      return invalid(`max_entries is a whole number, 1 to ${recalledMax}`);
    }
    case 'auto_recall_min_score': {
      const score = Number(text);
      if (text.trim() !== '' && score >= 0 && score <= 1) return score;
      return invalid('auto_recall_min_score is a number, 0 to 1');
    }
    case 'auto_recall_banks': {
      if (text === 'none') return [];
      const names = text.split(/[\s,]+/).filter((name) => name !== '');
      if (names.length > 0 && names.length <= memoryTextLimits.banks) return names;
      return invalid('auto_recall_banks is names of banks, or none');
    }
    default:
      return invalid(`it is one of ${AGENT_SETTINGS.join(', ')}`);
  }
}

export function invalid(what: string): never {
  throw toolFault('not_started', 'memory_line_invalid', what);
}
