import { encodeJson, FairleadError, type Json, type JsonObject } from '@fairlead/base';
import { mayUseRunner, type Principal, runnerOfTarget } from '@fairlead/dispatch';
import type { FastifyInstance } from 'fastify';
import { type Envelope, refusalEnvelope, successEnvelope } from '../http/envelope.ts';
import { sessionRouteLimits } from '../limits.ts';
import { type DecisionWord, readDecision } from './session-bodies.ts';
import type { SessionCaller } from './session-caller.ts';
import type { ApprovalRowShown, SessionPort } from './session-port.ts';
import { type ApprovalQuery, readApprovalQuery } from './session-queries.ts';
import { reaches, tokenLimited } from './session-reach.ts';
import { type SessionRouteOptions, sessionRoute } from './session-route.ts';
import { bodyOf, queryOf } from './session-routes.ts';
import { approvalView } from './session-view.ts';

/** `/api/approvals`: what people are asked, and their answers. */
export function addApprovalRoutes(server: FastifyInstance, options: SessionRouteOptions): void {
  const { log } = options;

  server.get(
    '/api/approvals',
    sessionRoute(options, 'session:approve', async (host, { principal }, request) =>
      successEnvelope(await listed(host, principal, readApprovalQuery(queryOf(request)))),
    ),
  );

  server.post(
    '/api/approvals/:id',
    sessionRoute(options, 'session:approve', async (host, caller, request) => {
      const { id } = request.params as { readonly id: string };
      const decision = readDecision(bodyOf(request));
      const envelope = await decide(host, caller, { id, decision });
      if (envelope.success) log('info', 'approval.decided', { approval: id, decision, by: caller.actor.id });
      return envelope;
    }),
  );
}

async function listed(
  host: SessionPort,
  principal: Principal,
  { session, after }: ApprovalQuery,
): Promise<JsonObject> {
  const approvals: JsonObject[] = [];
  let bytes = 0;
  for await (const row of openOnes(host, session, after)) {
    if (!(await concerns(host, principal, row))) continue;
    const view = approvalView(row);
    bytes += Buffer.byteLength(encodeJson(view));
    if (bytes > sessionRouteLimits.pageBytes && approvals.length > 0) return { approvals, more: true };
    approvals.push(view);
  }
  return { approvals, more: false };
}

/** However many wait: a look after the other, so that what does not concern a token hides nothing that does. */
async function* openOnes(
  host: SessionPort,
  session: string | undefined,
  after: string | undefined,
): AsyncGenerator<ApprovalRowShown> {
  const which = session === undefined ? {} : { sessions: [session] };
  let last = after;
  for (;;) {
    const rows = await host.approvals.open({ ...which, ...(last === undefined ? {} : { after: last }) });
    if (rows.length === 0) return;
    yield* rows;
    last = rows.at(-1)?.id;
  }
}

/** True where what is asked about lies within the Runners of the token. */
async function concerns(host: SessionPort, principal: Principal, row: ApprovalRowShown): Promise<boolean> {
  if (principal.runners === undefined) return true;
  if (row.session === null) {
    const runner = runnerOfTarget(row.target);
    return runner !== undefined && mayUseRunner(principal, runner);
  }
  const line = await host.sessions.line(row.session).catch(() => undefined);
  return line !== undefined && (await reaches(host, principal, line.meta.agents));
}

/** The same answer of the same token again is the answer that was lost, not another one. */
async function decide(
  host: SessionPort,
  { principal, actor: by }: SessionCaller,
  { id, decision }: { readonly id: string; readonly decision: DecisionWord },
): Promise<Envelope> {
  const row = await host.approvals.find(id);
  if (row === undefined) throw new FairleadError('approval_unknown', 'There is no such approval here.');
  if (!(await concerns(host, principal, row))) throw tokenLimited();
  const state = decision === 'deny' ? 'denied' : 'approved';
  if (await host.approvals.decide(id, { decision, by, via: 'http' }))
    return successEnvelope({ approval: id, state, again: false });
  const settled = (await host.approvals.find(id)) ?? row;
  const stands = settled.state === 'used' ? 'approved' : settled.state;
  if (stands === state && settled.decided_by === by.id)
    return successEnvelope({ approval: id, state, again: true });
  const detail: Json = { state: settled.state, decidedBy: settled.decided_by };
  return refusalEnvelope('approval_settled', { detail });
}
