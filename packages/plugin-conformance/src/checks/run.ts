import type { JsonObject } from '@fairlead/base';
import type { ClauseId } from '../clauses/clauses.ts';
import { type Judged, judge } from '../plugin/judge.ts';
import { isStartFault, type Lab } from '../plugin/lab.ts';
import type { PluginSession } from '../plugin/plugin-session.ts';
import type { Findings } from '../report/findings.ts';
import { whyNotAdmitted } from './admission.ts';

/** One call that a run makes. */
export type CallRequest = { readonly tool: string; readonly arguments: JsonObject };

/** What the checks of one run share. */
export type Run = {
  readonly lab: Lab;
  readonly findings: Findings;
  /** The calls that were asked for by name. */
  readonly calls: readonly CallRequest[];
};

/** Asks, and notes what is wrong with the answer. */
export async function ask(
  { findings }: Run,
  session: PluginSession,
  method: 'initialize' | 'tools/list' | 'tools/call',
  params: JsonObject,
  answers: ClauseId,
): Promise<Judged> {
  return judge(findings, session, await session.ask(method, params), answers);
}

/** Starts the program once more; null where it cannot be started any more, which is noted. */
export async function startAgain({ lab, findings }: Run): Promise<PluginSession | null> {
  const session = await lab.start();
  if (!isStartFault(session)) return session;
  findings.fault({
    clause: 'wire.initialize.answers',
    expected: 'a program that can be started again',
    seen: `${session.localDetail} (${session.code})`,
  });
  return null;
}

/** A process that was started once more and that a Runner would take, or null, which is noted. */
export async function readySession(run: Run): Promise<PluginSession | null> {
  const session = await startAgain(run);
  if (session === null) return null;
  const seen = await whyNotAdmitted(session);
  if (seen === null) return session;
  const expected = 'what it answered at its first start: a Runner starts it anew at each reload';
  run.findings.fault({ clause: 'wire.initialize.answers', expected, seen });
  return null;
}
