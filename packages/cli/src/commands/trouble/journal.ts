import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { cliError } from '../../cli-error.ts';
import { adminRequest } from '../../client/admin-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { commandHint } from '../../output/command-hint.ts';
import { jsonLine, objectsIn, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { timeText } from '../../output/time-text.ts';
import { findHost } from '../../owner/host-in-charge.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';

type JournalFlags = {
  readonly stateDir?: string;
  readonly limit?: number;
  readonly before?: string;
  readonly certainty?: string;
  readonly json?: boolean;
};

/**
 * `fairlead journal`: invocations of the running host, newest first, a page at a time. Throws `host_not_running`, `read_lost` and the
 * gateway's `query_invalid` and `journal_entry_not_found`.
 */
export async function journal(context: CommandContext, flags: JournalFlags): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await findHost(context, stateDirectory);
  if (server === null) throw cliError('host_not_running', { detail: { state_directory: stateDirectory } });
  const page = await adminRequest(context, {
    url: server.url,
    stateDirectory,
    method: 'GET',
    path: `/api/admin/journal${queryOf(flags)}`,
  });
  if (flags.json === true) {
    context.stdout(jsonLine(page));
    return exitCodes.done;
  }
  const { entries, next } = isJsonObject(page) ? page : {};
  const rows = objectsIn(entries).map(rowOf);
  context.stdout(rows.length === 0 ? 'there is nothing to show\n' : table(HEADINGS, rows));
  if (typeof next === 'string') {
    const { command, stateFlag } = commandHint(context, stateDirectory);
    const more = [
      ...(flags.limit === undefined ? [] : [`--limit ${flags.limit}`]),
      ...(flags.certainty === undefined ? [] : [`--certainty ${flags.certainty}`]),
      `--before ${safeLine(next)}`,
    ].join(' ');
    context.stderr(`older ones: ${command} journal${stateFlag} ${more}\n`);
  }
  return exitCodes.done;
}

const HEADINGS = ['TIME', 'CALL', 'ACTION', 'WHERE', 'CERTAINTY', 'CODE', 'WHO'];

/** The path keeps the order of the flags, so that the same question is the same address. */
function queryOf({ limit, before, certainty }: JournalFlags): string {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set('limit', String(limit));
  if (before !== undefined) query.set('before', before);
  if (certainty !== undefined)
    query.set('certainty', certainty === 'unknown' ? 'outcome_unknown' : certainty);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function rowOf(entry: JsonObject): readonly string[] {
  const { atMs, call, action, runner, plugin, tool, certainty, code, settlement, principal } = entry;
  const where = [runner, plugin, tool].filter((name) => typeof name === 'string');
  const settled = isJsonObject(settlement) ? settlement : null;
  return [
    typeof atMs === 'number' ? timeText(atMs) : '',
    safeLine(call),
    safeLine(action),
    where.map(safeLine).join(' '),
    certainty === null ? 'running' : thenText(certainty, settled?.['certainty']),
    thenText(code, settled?.['code']),
    safeLine(principal),
  ];
}

/** What was, and what was learnt later where that is something else. */
function thenText(first: Json | undefined, later: Json | undefined): string {
  const words = [first, later].filter((one) => typeof one === 'string').map(safeLine);
  return [...new Set(words)].join(', then ');
}
