import type { JsonObject } from '@fairlead/base';
import type { ClauseId } from '../clauses/clauses.ts';
import { type Judged, judge } from '../plugin/judge.ts';
import { INITIALIZE, isStartFault, type Lab } from '../plugin/lab.ts';
import type { PluginSession } from '../plugin/plugin-session.ts';
import type { Findings } from '../report/findings.ts';

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

/** A process that was started once more and has listed its tools, or null where it does not come that far, which is noted. */
export async function readySession(run: Run): Promise<PluginSession | null> {
  const session = await run.lab.start();
  if (isStartFault(session)) return null;
  if ((await isAnswered(session, 'initialize', INITIALIZE)) && (await isAlive(session))) return session;
  run.findings.fault({
    clause: 'wire.initialize.answers',
    expected: 'the same at another start: a Runner starts a plugin beside the one that it replaces',
    seen: session.sound ? 'other lines than the answers' : 'it ended',
  });
  return null;
}

/** True where the plugin answers another request, and this one first. */
function isAlive(session: PluginSession): Promise<boolean> {
  return isAnswered(session, 'tools/list', {});
}

async function isAnswered(
  session: PluginSession,
  method: 'initialize' | 'tools/list',
  params: JsonObject,
): Promise<boolean> {
  const exchange = await session.ask(method, params);
  return exchange.kind === 'line' && session.answered.has(exchange.id) && exchange.noise.length === 0;
}
