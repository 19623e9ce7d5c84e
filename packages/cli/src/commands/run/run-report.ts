import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { nextStepOf } from '../../error-tables.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, safeLine, safeText } from '../../output/safe-text.ts';

/** How a turn that was asked for ended; what `--json` prints. */
export type RunReport = {
  readonly session: string;
  readonly turn: string | null;
  readonly status: string;
  readonly code: string | null;
  /** The final text, or what went wrong. */
  readonly text: string;
  readonly usage: Json;
  readonly nanousd: number | null;
  readonly calls: readonly JsonObject[];
};

/** What a host answered about a run; null where it is no such thing. */
export function readRunReport(answer: Json): RunReport | null {
  if (!isJsonObject(answer)) return null;
  const { session, turn = null, status, code = null, text, usage = null, nanousd = null, calls } = answer;
  if (typeof session !== 'string' || typeof status !== 'string' || typeof text !== 'string') return null;
  return {
    session,
    turn: typeof turn === 'string' ? turn : null,
    status,
    code: typeof code === 'string' ? code : null,
    text,
    usage,
    nanousd: typeof nanousd === 'number' ? nanousd : null,
    calls: Array.isArray(calls) ? calls.filter((call) => isJsonObject(call)) : [],
  };
}

/** Prints how it ended and gives the exit status: 130 where somebody broke it off, else 3 where a call ended unknown. */
export async function tellRun(
  context: CommandContext,
  report: RunReport,
  { json, isInterrupted }: { readonly json: boolean; readonly isInterrupted: boolean },
): Promise<number> {
  const { status, code, text, calls, session } = report;
  const isWell = status === 'completed' || status === 'silent';
  if (json) context.stdout(jsonLine({ ...report, calls: [...report.calls] }));
  else if (isWell && text !== '') context.stdout(`${safeText(text.replace(/\n+$/, ''))}\n`);
  const unknown = calls.filter(({ certainty }) => certainty === 'outcome_unknown');
  for (const { tool, call } of unknown)
    context.stderr(`fairlead: whether ${safeLine(tool)} did its work is not known (${safeLine(call)})\n`);
  if (!isWell) {
    const what = text === '' ? `The turn ended: ${status}.` : text;
    context.stderr(
      `fairlead: ${safeLine(what)} (${safeLine(code ?? status)})\n  session: ${safeLine(session)}\n`,
    );
    const next = code === null ? null : await nextStepOf(code);
    if (next !== null) context.stderr(`  next: ${next}\n`);
  }
  if (isInterrupted) return exitCodes.interrupted;
  if (unknown.length > 0) return exitCodes.unknown;
  return isWell ? exitCodes.done : exitCodes.failed;
}
