import { isAbsolute } from 'node:path';
import type { Json, JsonObject } from '@fairlead/base';
import { sessionRouteLimits as limits } from '../limits.ts';
import { membersOf, requiredText, textIn, textsIn, wordIn, wrongMember } from './body-members.ts';
import type { SessionModeName } from './session-port.ts';

const MODES: readonly SessionModeName[] = ['normal', 'inspect', 'read_only'];

/** `POST /api/sessions`. */
export type NewSessionBody = {
  readonly name?: string;
  readonly agents?: readonly string[];
  readonly workspace?: string;
  readonly mode?: SessionModeName;
};

export function readNewSession(given: Json): NewSessionBody {
  const body = membersOf(given, ['name', 'agents', 'workspace', 'mode']);
  const workspace = textIn(body, 'workspace', limits.workspaceBytes);
  if (workspace !== undefined && (!isAbsolute(workspace) || workspace.includes('\0')))
    throw wrongMember('workspace', 'must be an absolute path');
  const name = textIn(body, 'name', limits.nameBytes);
  if (name !== undefined) checkName(name);
  return defined({
    name,
    agents: textsIn(body, 'agents', { most: limits.agents, maxBytes: limits.nameBytes }),
    workspace,
    mode: wordIn(body, 'mode', MODES),
  });
}

/** `PATCH /api/sessions/:id`: what is absent stays; null takes a name or a model away. */
export type SessionChange = {
  readonly name?: string | null;
  readonly model?: string | null;
  readonly mode?: SessionModeName;
  readonly closed?: boolean;
};

export function readSessionChange(given: Json): SessionChange {
  const body = membersOf(given, ['name', 'model', 'mode', 'closed']);
  const { closed } = body;
  if (closed !== undefined && typeof closed !== 'boolean')
    throw wrongMember('closed', 'must be true or false');
  if (body['mode'] === null) throw wrongMember('mode', `must be ${MODES.join(', ')}`);
  const name = nullable(body, 'name');
  if (typeof name === 'string') checkName(name);
  const change = defined({
    name,
    model: nullable(body, 'model'),
    mode: wordIn(body, 'mode', MODES),
    closed,
  });
  if (Object.keys(change).length === 0) throw wrongMember('body', 'changes nothing');
  return change;
}

/** `POST /api/sessions/:id/entries`. */
export type MessageToPost = { readonly text: string; readonly key: string; readonly agent?: string };

export function readMessage(given: Json): MessageToPost {
  const body = membersOf(given, ['text', 'key', 'agent']);
  return defined({
    text: requiredText(body, 'text', limits.textBytes),
    key: requiredText(body, 'key', limits.keyBytes),
    agent: textIn(body, 'agent', limits.nameBytes),
  });
}

/** `POST /api/sessions/:id/run`. */
export type RunBody = {
  readonly text: string;
  readonly agent?: string;
  readonly model?: string;
  readonly approve?: 'all' | readonly string[];
  readonly timeoutMs?: number;
};

export function readRun(given: Json): RunBody {
  const body = membersOf(given, ['text', 'agent', 'model', 'approve', 'timeoutSecs']);
  return defined({
    text: requiredText(body, 'text', limits.textBytes),
    agent: textIn(body, 'agent', limits.nameBytes),
    model: textIn(body, 'model', limits.nameBytes),
    approve: approvedIn(body),
    timeoutMs: timeoutIn(body),
  });
}

/** `POST /api/sessions/:id/command`. */
export function readLine(given: Json): string {
  return requiredText(membersOf(given, ['line']), 'line', limits.textBytes);
}

export type DecisionWord = 'approve' | 'deny' | 'approve_turn';

/** `POST /api/approvals/:id`. */
export function readDecision(given: Json): DecisionWord {
  const body = membersOf(given, ['decision']);
  const words: readonly DecisionWord[] = ['approve', 'deny', 'approve_turn'];
  const decision = wordIn(body, 'decision', words);
  if (decision === undefined) throw wrongMember('decision', `must be ${words.join(', ')}`);
  return decision;
}

function approvedIn(body: JsonObject): 'all' | readonly string[] | undefined {
  if (body['approve'] === 'all') return 'all';
  return textsIn(body, 'approve', { most: limits.approvedTools, maxBytes: limits.nameBytes });
}

function timeoutIn(body: JsonObject): number | undefined {
  const seconds = body['timeoutSecs'] ?? undefined;
  if (seconds === undefined) return undefined;
  const most = limits.runMs / 1000;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1 || seconds > most)
    throw wrongMember('timeoutSecs', `must be a whole number from 1 to ${most}`);
  return seconds * 1000;
}

function nullable(body: JsonObject, member: string): string | null | undefined {
  return body[member] === null ? null : textIn(body, member, limits.nameBytes);
}

/** What the host refuses of a name, before anything else of a body is done. */
function checkName(name: string): void {
  if (/\p{Cc}/u.test(name) || name.startsWith('ses_'))
    throw wrongMember('name', 'must be one line that does not begin with ses_');
}

/** Without the members that are not there. */
function defined<Members extends object>(
  members: Members,
): { [Member in keyof Members]: Exclude<Members[Member], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof defined<Members>
  >;
}
