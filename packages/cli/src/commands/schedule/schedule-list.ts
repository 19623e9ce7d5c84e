import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { askAnyHost } from '../../host/with-host.ts';
import { jsonLine, objectsIn, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { timeText } from '../../output/time-text.ts';

/** `fairlead schedule list`: what the agents of the host have planned, by agent. */
export async function scheduleList(
  context: CommandContext,
  flags: { readonly stateDir?: string; readonly json?: boolean; readonly agent?: string },
): Promise<number> {
  const query = flags.agent === undefined ? '' : `?agent=${encodeURIComponent(flags.agent)}`;
  const output = await askAnyHost(context, flags, { method: 'GET', path: `/api/schedules${query}` });
  if (flags.json === true) {
    context.stdout(jsonLine(output));
    return exitCodes.done;
  }
  const schedules = isJsonObject(output) ? objectsIn(output['schedules']) : [];
  if (schedules.length === 0) {
    context.stdout('nothing is planned; agents plan with schedule_add, people with /schedule add\n');
    return exitCodes.done;
  }
  const rows = schedules.map((schedule) => [
    nameIn(schedule['agent']),
    schedule['id'],
    whenText(schedule['trigger']),
    stateText(schedule),
    safeLine(String(schedule['task'] ?? '')).slice(0, 60),
  ]);
  context.stdout(table(['AGENT', 'ID', 'WHEN', 'NEXT', 'TASK'], rows));
  return exitCodes.done;
}

function nameIn(agent: Json | undefined): Json {
  return isJsonObject(agent) ? (agent['name'] ?? null) : null;
}

function whenText(trigger: Json | undefined): string {
  if (!isJsonObject(trigger)) return '-';
  const { kind, cron, zone, secs, at } = trigger;
  if (kind === 'cron') return safeLine(`${String(cron)} (${String(zone)})`);
  if (kind === 'every') return `every ${String(secs)} s`;
  return typeof at === 'number' ? timeText(at) : '-';
}

/** When it is due next, or why it is not. */
function stateText({ problem, enabled, nextAtMs, failures, lastCode }: JsonObject): string {
  if (typeof problem === 'string') return `cannot be read: ${safeLine(problem)}`;
  const failed =
    typeof failures === 'number' && failures > 0 ? `, failed ${failures} times (${safeLine(lastCode)})` : '';
  if (enabled !== true) return `off${failed}`;
  return `${typeof nextAtMs === 'number' ? timeText(nextAtMs) : 'nothing due'}${failed}`;
}
