import { encodeJson, type Json } from '@fairlead/base';
import {
  directTool,
  dispatchErrors,
  type Invocation,
  type Principal,
  type RuntimeTool,
} from '@fairlead/dispatch';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PersonalClaim } from '../auth/tokens.ts';
import { type CallRequest, readCallBody } from '../calls/call-body.ts';
import type { Callers } from '../calls/callers.ts';
import { type CutShort, cutShort } from '../calls/cut-short.ts';
import type { RunningRequests } from '../calls/running-requests.ts';
import type { Admission } from '../http/admission.ts';
import { sendEnvelope, sendJson } from '../http/answer.ts';
import { type Envelope, failureEnvelope, refusalEnvelope, successEnvelope } from '../http/envelope.ts';
import type { Log } from '../log/log.ts';
import { MCP_RESULT_TYPE, mcpResult } from '../mcp/mcp-result.ts';
import { callEnvelope, callStatus } from './call-envelope.ts';

/** `POST /api/tools/list` and `POST /api/tools/call`. */
export function addToolRoutes(
  server: FastifyInstance,
  options: {
    readonly admission: Admission;
    readonly tools: readonly RuntimeTool[];
    readonly running: RunningRequests;
    readonly callers: Callers;
    readonly log: Log;
  },
): void {
  const { admission, tools, running, callers, log } = options;
  const list = successEnvelope({ tools: listed(tools) });

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
    const tool = directTool(tools, reading.request.tool);
    if (typeof tool === 'string') return sendEnvelope(reply, toolRefusal(tool));
    call(request, reply, tool, reading.request);
  });

  /** The caller may go away or the time limit pass: the tool goes on and the journal gets its outcome. */
  function call(request: FastifyRequest, reply: FastifyReply, tool: RuntimeTool, called: CallRequest): void {
    const { tool: _name, ...asked } = called;
    const principal = request.principal as Principal;
    const send = request.headers.accept === MCP_RESULT_TYPE ? sendMcpResult : sendInvocation;
    const end = (why: CutShort) => {
      const { certainty, ...error } = cutShort(why, called);
      sendEnvelope(reply, failureEnvelope(error, certainty));
    };
    const entry = running.begin(end);
    const caller = callers.of(request.claim as PersonalClaim, reply.raw);
    tool.invoke({ ...asked, principal, caller }).then(
      (value: Invocation) => {
        if (running.done(entry)) send(reply, value);
      },
      (error: unknown) => {
        log('error', 'call.failed', { reason: error instanceof Error ? error.message : 'unknown' });
        if (running.done(entry)) end('internal_error');
      },
    );
  }
}

function sendInvocation(reply: FastifyReply, value: Invocation): void {
  sendEnvelope(reply, callEnvelope(value), callStatus(value));
}

function sendMcpResult(reply: FastifyReply, value: Invocation): void {
  sendJson(reply, 200, encodeJson(mcpResult(value)), MCP_RESULT_TYPE);
}

/** What callers are told of the tools that they may call by name: always the same. */
function listed(tools: readonly RuntimeTool[]): Json {
  return tools
    .filter(({ route }) => route === 'direct')
    .map(({ definition: { name, description, inputSchema, annotations }, scopes }) => ({
      name,
      description,
      inputSchema,
      annotations,
      scopes,
    }));
}

function toolRefusal(code: 'unknown_tool' | 'tool_route_gateway'): Envelope {
  const { message, next } = dispatchErrors[code];
  return failureEnvelope({ code, message, recovery: next }, 'not_started');
}
