import { FairleadError, isJsonObject, type JsonObject } from '@fairlead/base';
import { cliError } from '../../cli-error.ts';
import { adminRequest, readOperatorToken } from '../../client/admin-request.ts';
import type { HostRequest } from '../../client/ask-host.ts';
import { openEventStream } from '../../client/event-stream.ts';
import { sessionDoor } from '../../client/session-door.ts';
import type { CommandContext } from '../../command-context.ts';
import { answerTimeoutMs } from '../../limits.ts';
import { RunProgress } from './run-progress.ts';
import { type RunReport, readRunReport } from './run-report.ts';
import { runSession } from './run-session.ts';
import type { RunWish } from './run-wish.ts';

/**
 * One turn of the host that runs on this machine: its session is found or made, its stream is shown, its end is waited for. Whoever
 * breaks it off cancels the turn, and hears how that ended. Throws `model_missing`, `host_paused` and what else the host refuses it with; `run_lost`
 * where the host went away while the turn ran.
 */
export async function runThroughHost(
  context: CommandContext,
  host: { readonly url: string; readonly stateDirectory: string },
  wish: RunWish,
  signal: AbortSignal,
): Promise<RunReport> {
  const ask = (request: HostRequest) => adminRequest(context, { ...host, waitingFor: null, ...request });
  const session = await runSession(sessionDoor(ask), wish);
  const path = `/api/sessions/${session}`;
  const token = await readOperatorToken(host.stateDirectory);
  const progress = new RunProgress(context);
  const stream = openEventStream({ url: host.url, path: `${path}/stream`, token }, ({ event, data }) =>
    progress.hear(event, data),
  );
  const cancel = () =>
    // The answer of the run tells how it ended, also where this one is lost.
    void ask({ method: 'POST', path: `${path}/cancel`, body: {} }).catch(() => {});
  try {
    await stream.opened;
    if (signal.aborted) throw cliError('interrupted');
    const { text, agent, model, approve, timeoutSecs } = wish;
    const body = {
      text,
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(approve === undefined ? {} : { approve: approve === 'all' ? approve : [...approve] }),
      ...(timeoutSecs === undefined ? {} : { timeoutSecs }),
    };
    signal.addEventListener('abort', cancel, { once: true });
    const timeoutMs =
      timeoutSecs === undefined ? answerTimeoutMs.run : timeoutSecs * 1000 + answerTimeoutMs.afterRun;
    const answer = await ask({ method: 'POST', path: `${path}/run`, body, timeoutMs }).catch(
      (error: unknown) => {
        if (!(error instanceof FairleadError) || error.code !== 'answer_lost') throw error;
        throw cliError('run_lost', { detail: { session, ...detailOf(error) }, cause: error });
      },
    );
    const report = readRunReport(answer);
    if (report === null)
      throw cliError('run_lost', { detail: { session, reason: 'an answer that is no report' } });
    if (report.turn !== null) await progress.heardEnd(report.turn);
    progress.end(report.calls);
    return report;
  } finally {
    progress.end([]);
    signal.removeEventListener('abort', cancel);
    stream.close();
  }
}

function detailOf({ detail }: FairleadError): JsonObject {
  return isJsonObject(detail ?? null) ? (detail as JsonObject) : {};
}
