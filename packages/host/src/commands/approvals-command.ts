import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { s } from '@fairlead/extension';
import type { Decision, ShownApproval } from '../approvals/approval-request.ts';
import { hostError } from '../errors.ts';
import { visibleJson, visibleName, visibleText } from '../leaks/visible-text.ts';
import { commandBounds } from '../limits.ts';
import { timeText } from './columns.ts';
import { form, type HostCall, type HostCommand, type HostForm, requireScope } from './host-command.ts';

const LIST = {
  about:
    'The calls of this session that wait for a person, with every argument; with `session:approve` also what they may touch, and `--all`: of every session.',
  scope: 'session:read',
  args: { all: s.boolean({ default: false }) },
} as const;

const bare = form({ words: 'approvals', ...LIST }, listApprovals);
const list = form({ words: 'approvals list', ...LIST }, listApprovals);

async function listApprovals(call: HostCall, { all }: { readonly all: boolean }) {
  if (all) requireScope(call, 'session:approve');
  const { approvals } = call.ports;
  const sessions = all ? undefined : await sessionsBelow(call);
  const limit = commandBounds.listed;
  const page = await approvals.open({ limit, ...(sessions === undefined ? {} : { sessions }) });
  const more = Math.max(0, (await approvals.openCount(sessions)) - page.length);
  const shown = page.map((row) => textOf(row, call));
  const text = page.length === 0 ? 'No call waits for a person.' : shown.join('\n\n');
  return {
    text: more > 0 ? `${text}\n\nand ${more} more` : text,
    data: { approvals: page.map((row) => dataOf(row, call)), more },
  };
}

/** Those with an approval that is this session's. */
async function sessionsBelow(call: HostCall): Promise<readonly string[]> {
  const below: string[] = [];
  for (const one of await call.ports.approvals.openSessions())
    if (await belongsTo(call, one)) below.push(one);
  return below;
}

/** A spawned session's approvals are those of the session at its root. */
async function belongsTo({ ports, session }: HostCall, of: string): Promise<boolean> {
  let at: string | undefined = of;
  for (let above = 0; at !== undefined && above < commandBounds.parents; above += 1) {
    if (at === session) return true;
    at = (await ports.sessions.meta(at).catch(() => undefined))?.parent?.session;
  }
  return false;
}

/** All that the decision is about; nothing of the arguments is cut. */
function textOf(row: ShownApproval, call: HostCall): string {
  const { session } = call;
  const shown = shownOf(row, call);
  const { arguments: args, workspace, grants, rewritten_by: rewritten, ran_before: before } = shown;
  const { agent, speaker, extension } = shown;
  const name = isJsonObject(agent) ? word(agent['name']) : undefined;
  const who = [name, word(speaker)].filter((one) => one !== undefined).join(', ');
  const whose = word(extension) === undefined ? '' : ` of ${word(extension)}`;
  const kind = [row.risk, word(shown['tier']), word(shown['effect'])].filter((one) => one !== undefined);
  const where = row.session === session ? '' : `, in ${row.session ?? 'no session'}`;
  const changed = Array.isArray(rewritten) ? rewritten.map((one: Json) => word(one) ?? '').join(', ') : '';
  return [
    `${row.id}  ${visibleName(row.tool)}${whose}  risk: ${kind.join(', ')}  until ${timeText(row.until)} UTC${where}`,
    ...(who === '' ? [] : [`for ${who}`]),
    ...(typeof workspace === 'string' ? [`workspace ${visibleText(JSON.stringify(workspace))}`] : []),
    ...(isJsonObject(grants) ? [`may touch ${visibleText(JSON.stringify(grants))}`] : []),
    ...(changed === '' ? [] : [`arguments changed by ${changed}`]),
    ...(isJsonObject(before) ? [`the same ran before: ${visibleText(JSON.stringify(before))}`] : []),
    `decide: ${row.decisions.join(', ')}`,
    visibleJson(isJsonObject(args) ? args : {}),
  ].join('\n');
}

function word(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? visibleName(value) : undefined;
}

function dataOf(row: ShownApproval, call: HostCall): JsonObject {
  const { id, session, turn, tool, risk, principal, target, digest, opened_at: openedAtMs } = row;
  const { until: untilMs, decisions } = row;
  return {
    id,
    session,
    turn,
    tool,
    risk,
    principal,
    target,
    digest,
    openedAtMs,
    untilMs,
    decisions,
    shown: shownOf(row, call),
  };
}

/** Folders of this machine, and what is granted there, are for who decides about it, and for who runs the host. */
function shownOf({ shown }: ShownApproval, { given }: HostCall): JsonObject {
  const value = JSON.parse(shown) as Json;
  if (!isJsonObject(value)) return {};
  const { scopes } = given.by;
  if (scopes.includes('session:approve') || scopes.includes('admin')) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => name !== 'workspace' && name !== 'grants'),
  );
}

const approve = decides('approve', 'Lets a call that waits run.');
const deny = decides('deny', 'Refuses a call that waits.');
const approveTurn = decides('approve_turn', 'Lets it run, and later calls of the same tool in that turn.');

function decides(decision: Decision['decision'], about: string): HostForm {
  const spec = {
    words: `approvals ${decision}`,
    about,
    scope: 'session:approve',
    args: { approval: s.string() },
  } as const;
  return form(spec, (call, { approval }) => decide(call, decision, approval));
}

async function decide(call: HostCall, decision: Decision['decision'], wanted: string) {
  const { ports, given } = call;
  const id = await idOf(call, wanted);
  const { by } = given;
  const stands = await ports.approvals.decide(id, { decision, by, via: 'command' });
  const said = decision === 'deny' ? 'denied' : 'approved';
  return {
    text: stands ? `The call is ${said}.` : 'It was decided, expired or cancelled before; that stands.',
    data: { approval: id, decision, stands },
  };
}

/** Its id, or a beginning that fits one open approval alone. */
async function idOf({ ports }: HostCall, wanted: string): Promise<string> {
  if (wanted.length < commandBounds.approvalPrefix) throw hostError('approval_unknown');
  const found = await ports.approvals.open({ beginning: wanted });
  if (found.length > 1)
    throw hostError('approval_unknown', 'several begin so', { approvals: found.map(({ id }) => id) });
  return found[0]?.id ?? wanted;
}

export const approvalsCommand: HostCommand = {
  name: 'approvals',
  aliases: [],
  about: LIST.about,
  forms: [bare, list, approve, deny, approveTurn],
};

/** The same under one word, as people answer a question. */
export const decisionCommands: readonly HostCommand[] = [
  { name: 'approve', aliases: [], about: approve.about, forms: [wordOf('approve')] },
  { name: 'deny', aliases: [], about: deny.about, forms: [wordOf('deny')] },
];

function wordOf(decision: 'approve' | 'deny'): HostForm {
  const about = decision === 'approve' ? approve.about : deny.about;
  const spec = { words: decision, about, scope: 'session:approve', args: { approval: s.string() } } as const;
  return form(spec, (call, { approval }) => decide(call, decision, approval));
}
