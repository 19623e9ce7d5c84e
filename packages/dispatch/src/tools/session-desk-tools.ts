import { deepFreeze, type Json, type JsonObject } from '@fairlead/base';
import { READS_ONLY } from '../invocation/annotations.ts';
import { done, type Ending, refusedEnding } from '../invocation/ending.ts';
import type { Invoker } from '../invocation/invoker.ts';
import { readParams } from '../invocation/params.ts';
import type { RuntimeTool, ToolDefinition } from '../invocation/runtime-tool.ts';
import type { ToolTask } from '../invocation/tool-task.ts';
import {
  ENTRIES_READ,
  MESSAGE_MAX_BYTES,
  SESSION_AGENTS_MAX,
  SESSION_WORD_MAX_BYTES,
  SESSIONS_LISTED,
} from '../limits.ts';
import type { Scope } from '../scopes.ts';
import type { DeskAnswer, DeskVisitor, SessionDesk } from '../sessions/session-desk.ts';

/** What a caller asked of one of the tools, read. */
type Asked = (by: DeskVisitor) => Promise<DeskAnswer>;

/** The first member that is wrong. */
type Wrong = { readonly member?: string; readonly problem: string };

type Kind = {
  readonly definition: ToolDefinition;
  readonly scope: Scope;
  readonly usage: string;
  readonly summary: string;
  readonly mayHaveHappened?: string;
  read(params: Json, desk: SessionDesk): Asked | Wrong;
};

const WORD = { type: 'string', minLength: 1, maxLength: SESSION_WORD_MAX_BYTES } as const;
const MODES = ['normal', 'inspect', 'read_only'] as const;

/** What writes into Fairlead's own records, and nothing else by itself. */
const WRITES_RECORDS: JsonObject = Object.freeze({
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
});

const list: Kind = {
  definition: {
    name: 'session_list',
    description: [
      'The sessions of this host, the ones used last first: id, name, mode, agents, whether it is closed.',
      'The id of one is what recording_session_id takes, with every tool.',
    ].join('\n'),
    inputSchema: deepFreeze({
      type: 'object',
      properties: {
        closed: { type: 'boolean', description: 'Also those that are closed.' },
        limit: { type: 'integer', minimum: 1, maximum: SESSIONS_LISTED.max, description: 'At most so many.' },
      },
      additionalProperties: false,
    }),
    annotations: READS_ONLY,
  },
  scope: 'session:read',
  usage: 'session_list takes closed and limit, or nothing.',
  summary: 'The sessions that there are.',
  read(given, desk) {
    const reading = readParams(given, { required: [], optional: ['closed', 'limit'] });
    if (!reading.ok) return reading.detail;
    const { closed = false, limit = SESSIONS_LISTED.fallback } = reading.params;
    if (typeof closed !== 'boolean') return { member: 'closed', problem: 'not_a_boolean' };
    if (!isCount(limit, SESSIONS_LISTED.max)) return { member: 'limit', problem: 'invalid' };
    return (by) => desk.list(by, { closed, limit });
  },
};

const create: Kind = {
  definition: {
    name: 'session_create',
    description: [
      'Makes a session and answers its id. It has no agent unless agents names one; the first answers where nobody is mentioned.',
      'mode inspect runs no tool there, read_only only what reads.',
    ].join('\n'),
    inputSchema: deepFreeze({
      type: 'object',
      properties: {
        name: { ...WORD, description: 'A line for people.' },
        agents: {
          type: 'array',
          items: WORD,
          maxItems: SESSION_AGENTS_MAX,
          description: 'Names or ids of agents of this host.',
        },
        mode: { type: 'string', enum: [...MODES] },
      },
      additionalProperties: false,
    }),
    annotations: WRITES_RECORDS,
  },
  scope: 'session:write',
  usage: 'session_create takes name, agents and mode, or nothing.',
  summary: 'The new session.',
  mayHaveHappened: 'The session may have been made; nothing was sent again. List the sessions.',
  read(given, desk) {
    const reading = readParams(given, { required: [], optional: ['name', 'agents', 'mode'] });
    if (!reading.ok) return reading.detail;
    const { name, agents, mode } = reading.params;
    if (name !== undefined && !isWord(name)) return { member: 'name', problem: 'invalid' };
    if (agents !== undefined && !isNames(agents)) return { member: 'agents', problem: 'invalid' };
    if (mode !== undefined && !isMode(mode)) return { member: 'mode', problem: 'unknown' };
    return (by) =>
      desk.create(by, {
        ...(name === undefined ? {} : { name }),
        ...(agents === undefined ? {} : { agents }),
        ...(mode === undefined ? {} : { mode }),
      });
  },
};

const read: Kind = {
  definition: {
    name: 'session_read',
    description: [
      'The newest entries of a session, newest first: messages, calls with their certainty and results, decisions.',
      'before continues where an answer ended: give the id that stands in before there. null = nothing older is left.',
    ].join('\n'),
    inputSchema: deepFreeze({
      type: 'object',
      properties: {
        session: { ...WORD, description: 'Id of a session.' },
        before: { ...WORD, description: 'Only entries before this one.' },
        limit: { type: 'integer', minimum: 1, maximum: ENTRIES_READ.max, description: 'At most so many.' },
      },
      required: ['session'],
      additionalProperties: false,
    }),
    annotations: READS_ONLY,
  },
  scope: 'session:read',
  usage: 'session_read takes session, and before and limit.',
  summary: 'Entries of the session, newest first.',
  read(given, desk) {
    const reading = readParams(given, { required: ['session'], optional: ['before', 'limit'] });
    if (!reading.ok) return reading.detail;
    const { session = null, before, limit = ENTRIES_READ.fallback } = reading.params;
    if (!isWord(session)) return { member: 'session', problem: 'invalid' };
    if (before !== undefined && !isWord(before)) return { member: 'before', problem: 'invalid' };
    if (!isCount(limit, ENTRIES_READ.max)) return { member: 'limit', problem: 'invalid' };
    return (by) => desk.read(by, { session, limit, ...(before === undefined ? {} : { before }) });
  },
};

const append: Kind = {
  definition: {
    name: 'session_append',
    description: [
      'Writes a message into a session, which wakes the agents that it mentions with @name, else the one that answers there.',
      'key is yours: the same key in one session answers the same entry, so a message whose answer was lost can be sent again.',
      'The answer is the entry, not what the agents say: read the session for that.',
    ].join('\n'),
    inputSchema: deepFreeze({
      type: 'object',
      properties: {
        session: { ...WORD, description: 'Id of a session.' },
        text: { type: 'string', minLength: 1, description: `At most ${MESSAGE_MAX_BYTES} bytes.` },
        key: { type: 'string', minLength: 1, maxLength: 128, description: 'A new one for each message.' },
        agent: { ...WORD, description: 'Instead of whom the text mentions.' },
      },
      required: ['session', 'text', 'key'],
      additionalProperties: false,
    }),
    annotations: WRITES_RECORDS,
  },
  scope: 'session:write',
  usage: 'session_append takes session, text and key, and agent.',
  summary: 'The entry that stands, and the agents that it wakes.',
  mayHaveHappened: 'The message may stand. Send it again under the same key: it is written once.',
  read(given, desk) {
    const reading = readParams(given, { required: ['session', 'text', 'key'], optional: ['agent'] });
    if (!reading.ok) return reading.detail;
    const { session = null, text = null, key = null, agent } = reading.params;
    if (!isWord(session)) return { member: 'session', problem: 'invalid' };
    if (!isText(text, MESSAGE_MAX_BYTES)) return { member: 'text', problem: 'invalid' };
    if (!isText(key, 128)) return { member: 'key', problem: 'invalid' };
    if (agent !== undefined && !isWord(agent)) return { member: 'agent', problem: 'invalid' };
    return (by) => desk.append(by, { session, text, key, ...(agent === undefined ? {} : { agent }) });
  },
};

/** `session_list`, `session_create`, `session_read` and `session_append` (docs/reference/runtime-tools.md). */
export function sessionDeskTools(invoker: Invoker, desk: SessionDesk): readonly RuntimeTool[] {
  return [list, create, read, append].map((kind) => toolOf(kind, invoker, desk));
}

function toolOf(kind: Kind, invoker: Invoker, desk: SessionDesk): RuntimeTool {
  const { definition, scope, usage, summary, mayHaveHappened } = kind;
  const { name: action } = definition;
  return {
    definition: Object.freeze(definition),
    route: 'direct',
    scopes: Object.freeze([scope]),
    invoke: (request) =>
      invoker.invoke(request, (params) => {
        const asked = kind.read(params, desk);
        if (typeof asked !== 'function')
          return { ok: false, fault: { code: 'invalid_arguments', action, detail: asked, usage } };
        const task: ToolTask = {
          ...{ action, scope, summary, subject: { bindingPresent: false } },
          ...(mayHaveHappened === undefined ? {} : { mayHaveHappened, isRecords: true }),
          run: async (principal, _call, caller) => endingOf(await asked({ principal, caller })),
        };
        return { ok: true, task };
      }),
  };
}

function endingOf(answer: DeskAnswer): Ending {
  return answer.ok ? done(answer.output) : refusedEnding(answer.error);
}

function isText(value: Json, maxBytes: number): value is string {
  return (
    typeof value === 'string' && value !== '' && value.isWellFormed() && Buffer.byteLength(value) <= maxBytes
  );
}

function isWord(value: Json): value is string {
  return isText(value, SESSION_WORD_MAX_BYTES);
}

function isNames(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.length <= SESSION_AGENTS_MAX && value.every(isWord);
}

function isMode(value: Json): value is (typeof MODES)[number] {
  return MODES.some((mode) => mode === value);
}

function isCount(value: Json, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
}
