import { escapeHidden, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, labelled, objectsIn, safeLine } from '../../output/safe-text.ts';
import { timeText } from '../../output/time-text.ts';
import { askHost } from '../../owner/running-host.ts';

type Flags = { readonly stateDir?: string; readonly json?: boolean };

/** `fairlead approvals list`: what waits for a person, oldest first, every argument of it. */
export async function approvalsList(context: CommandContext, flags: Flags): Promise<number> {
  const approvals = await waiting(context, flags);
  if (flags.json === true) {
    context.stdout(jsonLine({ approvals }));
    return exitCodes.done;
  }
  context.stdout(approvals.length === 0 ? 'nothing waits for an approval\n' : approvals.map(text).join('\n'));
  return exitCodes.done;
}

/** All of them: one answer holds 4 MiB. */
async function waiting(context: CommandContext, flags: Flags): Promise<JsonObject[]> {
  const approvals: JsonObject[] = [];
  let query = '';
  for (;;) {
    const output = await askHost(context, flags, { method: 'GET', path: `/api/approvals${query}` });
    const { approvals: page, more } = isJsonObject(output) ? output : {};
    const rows = objectsIn(page);
    approvals.push(...rows);
    const last = rows.at(-1)?.['id'];
    if (more !== true || typeof last !== 'string') return approvals;
    query = `?after=${encodeURIComponent(last)}`;
  }
}

/** Arguments are shown whole: whoever approves them approves what stands there. */
function text(approval: JsonObject): string {
  const { id, tool, extension, risk, principal, session, untilMs, shown } = approval;
  const line = (label: string, value: Json | undefined) =>
    value === undefined || value === null || value === '' ? '' : labelled(label, value);
  const more = isJsonObject(shown ?? null) ? Object.entries(shown as JsonObject) : [];
  return (
    labelled('approval', id) +
    labelled('tool', `${safeLine(tool)} of ${safeLine(extension)}`) +
    line('risk', risk) +
    line('for', principal) +
    line('session', session) +
    more.map(([name, value]) => line(name, value)).join('') +
    (typeof untilMs === 'number' ? labelled('until', timeText(untilMs)) : '') +
    `arguments:\n${argumentText(approval['arguments'] ?? {})}\n`
  );
}

/** Line by line, and never cut: a character that could hide something is written as its escape. */
function argumentText(given: Json): string {
  const written = typeof given === 'string' ? given : JSON.stringify(given, null, 2);
  return written
    .split('\n')
    .map((line) => `  ${escapeHidden(line)}`)
    .join('\n');
}

/** `fairlead approvals approve ID [--turn]`: the call may run; with `--turn` the later ones of that tool in its turn, too. */
export async function approvalsApprove(
  context: CommandContext,
  id: string,
  flags: Flags & { readonly turn?: boolean },
): Promise<number> {
  return await decide(context, id, flags, flags.turn === true ? 'approve_turn' : 'approve');
}

/** `fairlead approvals deny ID`. */
export async function approvalsDeny(context: CommandContext, id: string, flags: Flags): Promise<number> {
  return await decide(context, id, flags, 'deny');
}

async function decide(
  context: CommandContext,
  id: string,
  flags: Flags,
  decision: 'approve' | 'approve_turn' | 'deny',
): Promise<number> {
  const path = `/api/approvals/${encodeURIComponent(id)}`;
  const output = await askHost(context, flags, { method: 'POST', path, body: { decision } });
  const done = decision === 'deny' ? 'denied' : 'approved';
  context.stdout(flags.json === true ? jsonLine(output) : `${done} ${safeLine(id)}\n`);
  return exitCodes.done;
}
