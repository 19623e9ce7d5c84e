import type { JsonObject } from '@fairlead/base';
import { JOURNAL_PAGE_DEFAULT, JOURNAL_PAGE_MAX } from '@fairlead/dispatch';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const time = { type: 'integer', description: 'Milliseconds since 1970.' };
const certainties = ['not_started', 'completed', 'outcome_unknown'];

const settlement: JsonObject = {
  type: 'object',
  properties: { certainty: { enum: certainties }, code: textOrNull, atMs: time },
  required: ['certainty', 'code', 'atMs'],
};

const entry: JsonObject = {
  type: 'object',
  properties: {
    call: text,
    atMs: time,
    principal: text,
    action: text,
    runner: textOrNull,
    plugin: textOrNull,
    tool: textOrNull,
    bindingPresent: { type: 'boolean' },
    argumentsDigest: { ...textOrNull, description: 'Equal for equal arguments of one tool on this host.' },
    certainty: { enum: [...certainties, null], description: 'Null while it runs.' },
    code: textOrNull,
    finishedAtMs: { ...time, type: ['integer', 'null'] },
    settlement: {
      anyOf: [settlement, { type: 'null' }],
      description: 'What was learnt later of one that ended outcome_unknown.',
    },
  },
  required: [
    'call',
    'atMs',
    'principal',
    'action',
    'runner',
    'plugin',
    'tool',
    'bindingPresent',
    'argumentsDigest',
    'certainty',
    'code',
    'finishedAtMs',
    'settlement',
  ],
};

/** The journal as the administration's route takes and gives it. */
export const journalSchemas: {
  readonly query: Readonly<Record<'limit' | 'before' | 'certainty', JsonObject>>;
  readonly page: JsonObject;
} = {
  query: {
    limit: { type: 'integer', minimum: 1, maximum: JOURNAL_PAGE_MAX, default: JOURNAL_PAGE_DEFAULT },
    before: { ...text, description: 'Only those begun before this one: `next` of another page.' },
    certainty: { enum: certainties, description: 'Only those of which this is what is known now.' },
  },
  page: {
    type: 'object',
    properties: {
      entries: { type: 'array', items: entry },
      next: { ...textOrNull, description: 'Null: this was the last page.' },
    },
    required: ['entries', 'next'],
  },
};
