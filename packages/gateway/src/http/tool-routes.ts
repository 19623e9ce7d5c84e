import type { Json } from '@fairlead/base';
import { type Executor, type Invocation, type Principal, pluginToolDefinition } from '@fairlead/dispatch';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Log } from '../log/log.ts';
import type { Admission } from './admission.ts';
import { sendEnvelope } from './answer.ts';
import { type CallRequest, readCallBody } from './call-body.ts';
import { callEnvelope, callStatus } from './call-envelope.ts';
import { refusalEnvelope, successEnvelope } from './envelope.ts';
import type { RunningRequests } from './running-requests.ts';

/** `POST /api/tools/list` and `POST /api/tools/call`. */
export function addToolRoutes(
  server: FastifyInstance,
  options: {
    readonly admission: Admission;
    readonly executor: Pick<Executor, 'invoke'>;
    readonly running: RunningRequests;
    readonly log: Log;
  },
): void {
  const { admission, executor, running, log } = options;
  const list = successEnvelope({ tools: [pluginToolDefinition as unknown as Json] });

  server.post('/api/tools/list', { onRequest: admission.personal }, (request, reply) => {
    const body = request.body ?? null;
    if (typeof body !== 'object' || Array.isArray(body)) {
      sendEnvelope(
        reply,
        refusalEnvelope('invalid_body', { detail: { member: 'body', problem: 'must be a JSON object' } }),
      );
    } else sendEnvelope(reply, list);
  });

  server.post('/api/tools/call', { onRequest: admission.personal }, (request, reply) => {
    const reading = readCallBody((request.body ?? null) as Json);
    if (!reading.ok) {
      const { member, problem } = reading;
      return sendEnvelope(
        reply,
        refusalEnvelope('invalid_body', { message: `${member} ${problem}`, detail: { member, problem } }),
      );
    }
    if (reading.request.tool !== pluginToolDefinition.name)
      return sendEnvelope(reply, refusalEnvelope('unknown_tool'));
    call(reply, reading.request, request.principal as Principal);
  });

  /** The caller may go away or the time limit pass: the executor goes on and the journal gets its outcome. */
  function call(reply: FastifyReply, request: CallRequest, principal: Principal): void {
    const entry = running.begin((why) =>
      sendEnvelope(reply, refusalEnvelope(why, { certainty: 'outcome_unknown' })),
    );
    const { params, recordingSessionId } = request;
    const invocation = executor.invoke({
      tool: 'plugin_tool',
      params,
      principal,
      ...(recordingSessionId === undefined ? {} : { recordingSessionId }),
    });
    invocation.then(
      (value: Invocation) => {
        if (running.done(entry)) sendEnvelope(reply, callEnvelope(value), callStatus(value));
      },
      (error: unknown) => {
        log('error', 'call.failed', { reason: error instanceof Error ? error.message : 'unknown' });
        // What the executor did before it failed is not known here.
        if (running.done(entry)) {
          sendEnvelope(reply, refusalEnvelope('internal_error', { certainty: 'outcome_unknown' }));
        }
      },
    );
  }
}
