import type { JsonObject } from '@fairlead/base';
import { sessionRouteLimits as limits } from '../limits.ts';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const time = { type: 'integer', description: 'Milliseconds since 1970.' };
const modes = { enum: ['normal', 'inspect', 'read_only'] };

function object(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

function body(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  return { ...object(properties, optional), additionalProperties: false };
}

const word = (maxLength: number): JsonObject => ({ type: 'string', minLength: 1, maxLength });

const session = object(
  {
    id: text,
    name: textOrNull,
    mode: modes,
    source: textOrNull,
    closed: { type: 'boolean' },
    agents: { type: 'array', items: object({ id: text, name: text }) },
    host: { ...textOrNull, description: 'The id of the agent that answers where nobody is mentioned.' },
    model: textOrNull,
    parent: {
      anyOf: [object({ session: text, turn: text, call: text }), { type: 'null' }],
      description: 'The turn and the call that it was made for.',
    },
    createdAtMs: time,
    lastAtMs: time,
    running: {
      anyOf: [
        object(
          { turn: text, agent: text, state: { enum: ['queued', 'model', 'tool', 'approval'] }, tool: text },
          ['tool'],
        ),
        { type: 'null' },
      ],
    },
    workspace: { ...textOrNull, description: 'A folder of the host’s machine; for the scope admin alone.' },
  },
  ['workspace'],
);

const approval = object({
  id: text,
  principal: text,
  session: textOrNull,
  turn: textOrNull,
  call: text,
  tool: text,
  extension: text,
  target: text,
  risk: text,
  arguments: { description: 'Whole; sensitive ones are masked.' },
  shown: { type: 'object' },
  state: { enum: ['open', 'approved', 'denied', 'expired', 'cancelled', 'used'] },
  openedAtMs: time,
  untilMs: time,
});

/** Sessions and approvals as the routes take and give them. */
export const sessionSchemas = {
  session,
  sessions: object({ sessions: { type: 'array', items: session } }),
  sessionQuery: {
    name: { ...text, description: 'Only those of this name that are open.' },
    closed: { type: 'boolean', default: false, description: 'Closed ones too.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: limits.sessions.max,
      default: limits.sessions.fallback,
    },
  },
  newSession: body(
    {
      name: word(limits.nameBytes),
      agents: { type: 'array', items: word(limits.nameBytes), maxItems: limits.agents },
      workspace: { ...word(limits.workspaceBytes), description: 'An absolute path; needs the scope admin.' },
      mode: modes,
    },
    ['name', 'agents', 'workspace', 'mode'],
  ),
  change: {
    ...body(
      {
        name: textOrNull,
        model: textOrNull,
        mode: { ...modes, description: 'Needs session:approve or admin.' },
        closed: { type: 'boolean' },
      },
      ['name', 'model', 'mode', 'closed'],
    ),
    minProperties: 1,
  },
  entries: object({
    entries: {
      type: 'array',
      items: object({ id: text, type: text }),
      description: 'Newest first; docs/reference/sessions.md has the members.',
    },
    before: { ...textOrNull, description: 'For the next page; null: there is none.' },
  }),
  entryQuery: {
    before: { ...text, description: 'Only those before this one: `before` of another page.' },
    limit: { type: 'integer', minimum: 1, maximum: limits.entries, default: limits.entries },
  },
  message: body({ text: word(limits.textBytes), key: word(limits.keyBytes), agent: word(limits.nameBytes) }, [
    'agent',
  ]),
  posted: object({
    id: text,
    woken: { type: 'array', items: text },
    again: { type: 'boolean', description: 'It stood before, under the same key.' },
  }),
  run: body(
    {
      text: word(limits.textBytes),
      agent: word(limits.nameBytes),
      model: word(limits.nameBytes),
      approve: {
        description: 'Tools that run without asking; needs session:approve.',
        anyOf: [
          { const: 'all' },
          { type: 'array', items: word(limits.nameBytes), maxItems: limits.approvedTools },
        ],
      },
      timeoutSecs: { type: 'integer', minimum: 1, maximum: limits.runMs / 1000 },
    },
    ['agent', 'model', 'approve', 'timeoutSecs'],
  ),
  report: object(
    {
      session: text,
      turn: textOrNull,
      status: text,
      code: textOrNull,
      text,
      usage: { type: ['object', 'null'] },
      nanousd: { type: ['integer', 'null'] },
      calls: { type: 'array', items: { type: 'object' } },
    },
    ['code'],
  ),
  line: body({ line: word(limits.textBytes) }),
  commandAnswer: object(
    {
      text,
      data: {},
      open: { ...text, description: 'The session to go on in.' },
      quit: { const: true },
    },
    ['data', 'open', 'quit'],
  ),
  approvals: object({
    approvals: { type: 'array', items: approval },
    more: { type: 'boolean', description: 'There are more than one answer holds.' },
  }),
  approvalQuery: {
    session: { ...text, description: 'Only those of this session.' },
    after: { ...text, description: 'Only those behind this one: the last of the answer before.' },
  },
  decision: body({ decision: { enum: ['approve', 'deny', 'approve_turn'] } }),
  decided: object({
    approval: text,
    state: { enum: ['approved', 'denied'] },
    again: { type: 'boolean', description: 'The same token had said the same before.' },
  }),
  schedules: object({
    schedules: {
      type: 'array',
      items: object({
        agent: object({ id: text, name: text }),
        id: text,
        trigger: { type: ['object', 'null'], description: 'See docs/reference/routines.md.' },
        task: textOrNull,
        target: { type: ['object', 'null'] },
        enabled: { type: 'boolean' },
        maxFires: { type: ['integer', 'null'] },
        expiresAtMs: { type: ['integer', 'null'] },
        nextAtMs: {
          type: ['integer', 'null'],
          description: 'When it is due next, in milliseconds since 1970.',
        },
        fires: { type: 'integer' },
        failures: { type: 'integer', description: 'In a row.' },
        lastCode: textOrNull,
        problem: { ...textOrNull, description: 'Why its row cannot be read.' },
      }),
    },
    more: { type: 'boolean', description: 'There are more than one answer holds.' },
  }),
  scheduleQuery: { agent: { ...text, description: 'Only those of this agent, by name or id.' } },
  models: object({
    default: textOrNull,
    models: { type: 'array', items: text },
    backends: { type: 'array', items: { type: 'object' } },
  }),
  after: { ...text, description: 'The id of the last entry that was heard; `Last-Event-ID` wins over it.' },
} as const;
