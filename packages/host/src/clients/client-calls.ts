import { FairleadError, type Fault, isJsonObject, type JsonObject } from '@fairlead/base';
import type {
  Invocation,
  InvocationError,
  Principal,
  Scope,
  SessionTool,
  SessionToolCall,
  SessionTools,
} from '@fairlead/dispatch';
import type { LiveTool } from '@fairlead/hub';
import { storeErrors } from '@fairlead/store';
import type { CallEnd } from '../calls/call-end.ts';
import type { CallPlace } from '../calls/call-place.ts';
import { CallRecord } from '../calls/call-record.ts';
import { refusedWords } from '../calls/call-words.ts';
import { policyOfTool } from '../calls/policy-of-tool.ts';
import { refusal } from '../calls/refusal-now.ts';
import { runCall } from '../calls/run-call.ts';
import { clientLimits } from '../limits.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import type { ClientFloor } from './client-floor.ts';
import { type ClientView, clientPlace, clientView } from './client-place.ts';
import { dispatchFault, errorOf, refusedError, speakerOf } from './client-words.ts';
import { Hold } from './hold.ts';
import { isWithinReach, openedSession } from './opened-session.ts';

/** Calls of clients in the live sets of sessions: each is one call of `runCall`, in the client's name. */
export class ClientCalls implements SessionTools {
  readonly #host: ClientFloor;

  constructor(host: ClientFloor) {
    this.#host = host;
  }

  async list(session: string, principal: Principal): ReturnType<SessionTools['list']> {
    const { floor } = this.#host;
    const opened = await openedSession(floor, session, principal);
    if (!opened.ok) return opened;
    try {
      await this.#host.openSession(session);
      using view = await clientView(floor, session, opened.meta);
      const { set, offered } = view;
      const tools = [...set.tools.values()].filter(({ name }) => offered.names.has(name));
      return { ok: true, tools: tools.map((tool) => told(floor, tool)) };
    } catch (error) {
      return { ok: false, error: refusedError(error) };
    }
  }

  async call(request: SessionToolCall): Promise<Invocation> {
    const { session, principal } = request;
    const { floor } = this.#host;
    const opened = await openedSession(floor, session, principal);
    if (!opened.ok) return await this.#deny(request, opened.error);
    let view: ClientView;
    try {
      await this.#host.openSession(session);
      view = await clientView(floor, session, opened.meta);
    } catch (error) {
      return await this.#deny(request, refusedError(error));
    }
    return await this.#waitFor(request, view);
  }

  /** Answers when the call has ended, or 125 s after it began: then it goes on by itself. */
  async #waitFor(request: SessionToolCall, view: ClientView): Promise<Invocation> {
    const { floor } = this.#host;
    const hold = new Hold(request.caller, this.#host.halted);
    const { promise: isLate, resolve: late } = Promise.withResolvers<undefined>();
    let stop = () => {};
    let hasBegun = false;
    const begun = () => {
      hasBegun = true;
      hold.begun();
      const timer = floor.clock.setTimer(clientLimits.callMs, () => late(undefined), { unref: true });
      stop = () => timer.cancel();
    };
    const tool = view.set.tools.get(request.tool);
    const ending = this.#run(request, view, { hold, begun, tool }).finally(() => {
      stop();
      hold[Symbol.dispose]();
      view[Symbol.dispose]();
    });
    let end: CallEnd | undefined;
    try {
      end = await Promise.race([ending, isLate]);
    } catch (error) {
      // Of what has begun nobody may say that it did not run.
      if (hasBegun) throw error;
      return notWritten(request, error);
    }
    if (end !== undefined) return invocationOf(end, tool);
    // Its own end is written by itself; that it cannot be is found at the next start.
    ending.catch(() => {});
    const error = errorOf(refusal('call_still_running'));
    return { call: request.call, action: request.tool, certainty: 'outcome_unknown', error };
  }

  async #run(
    request: SessionToolCall,
    view: ClientView,
    how: { readonly hold: Hold; readonly begun: () => void; readonly tool: LiveTool | undefined },
  ): Promise<CallEnd> {
    const { floor } = this.#host;
    const { call, session, tool: name, principal, caller } = request;
    const { hold, begun, tool } = how;
    const place = await clientPlace(floor, view, {
      ...{ session, begun, signal: hold.signal, principal: principal.id },
      from: speakerOf(principal, caller?.name),
      refusal: () => this.#refusal(request, tool),
      // Agents may have joined, or been given more, while a person was asked.
      outOfReach: async (agents) =>
        (await isWithinReach(floor, principal, agents)) ? undefined : dispatchFault('token_limited'),
    });
    const asked = { call, tool: name, arguments: request.arguments };
    if (tool === undefined && view.agent === undefined && this.#needsAgent(name))
      return await refuse(floor, place, asked, refusal('agent_required'));
    return await runCall(floor, place, asked);
  }

  /** What of a client's own stands against its call now. */
  #refusal({ caller, principal }: SessionToolCall, tool: LiveTool | undefined): Fault | undefined {
    if (caller?.isLive() === false) return dispatchFault('token_ended');
    const missing = tool === undefined ? undefined : missingScope(principal, tool);
    if (missing !== undefined) return dispatchFault('insufficient_scope', { scope: missing });
    // Said before the signal, which only says that nothing more begins.
    return this.#host.floor.state.pausedAtMs === null ? undefined : refusal('host_paused');
  }

  /** True where an extension has such a tool for agents alone. */
  #needsAgent(name: string): boolean {
    return this.#host.floor.hub
      .extensions()
      .some(({ manifest }) => manifest?.tools.some((tool) => tool.name === name && tool.scope === 'agent'));
  }

  /** A call of which nothing may stand in a session. */
  async #deny({ call, tool, principal }: SessionToolCall, error: InvocationError): Promise<Invocation> {
    const action = 'call_runtime_tool';
    const entry = { id: call, principal: principal.id, action, tool, bindingPresent: false };
    await this.#host.floor.journal.deny(entry, error.code);
    return { call, action, certainty: 'not_started', error };
  }
}

/** A refusal that `runCall` does not know, with the same two entries. */
async function refuse(
  floor: TurnFloor,
  place: CallPlace,
  asked: { readonly call: string; readonly tool: string; readonly arguments: JsonObject },
  { code, message }: Fault,
): Promise<CallEnd> {
  const record = new CallRecord(floor, place, asked);
  const text = `${code}: ${message}`;
  const said = { certainty: 'not_started', code, text, isError: true, redacted: [] } as const;
  await record.refuse(refusedWords(floor, asked, { owner: undefined }), said, []);
  const { call, tool } = asked;
  return { call, tool, certainty: 'not_started', code, text, isError: true, ms: 0, effect: 'write' };
}

/** Nothing ran, and the store could not write that. What else is thrown says nothing about the call, and is thrown again. */
function notWritten({ tool }: SessionToolCall, thrown: unknown): Invocation {
  if (!(thrown instanceof FairleadError) || !Object.hasOwn(storeErrors, thrown.code)) throw thrown;
  const error = errorOf(dispatchFault('journal_unavailable'));
  return { action: tool, certainty: 'not_started', error };
}

/** What a tool behind another machine or server needs of a client, besides writing into the session. */
function scopeOf({ owner, tier }: Pick<LiveTool, 'owner' | 'tier'>): Scope | undefined {
  const word: string = tier;
  if (owner === 'plugins' || word === 'native') return 'plugin:invoke';
  return owner.startsWith('mcp-') || word === 'mcp' ? 'mcp:invoke' : undefined;
}

function missingScope({ scopes }: Principal, tool: LiveTool): Scope | undefined {
  const needed = scopeOf(tool);
  return needed === undefined || scopes.includes(needed) ? undefined : needed;
}

function told(floor: TurnFloor, tool: LiveTool): SessionTool {
  const { name, owner, tier, contribution } = tool;
  const { effect } = policyOfTool(floor, tool);
  const needed = scopeOf(tool);
  return {
    name,
    description: contribution.about,
    inputSchema: contribution.args as unknown as JsonObject,
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'write',
      idempotentHint: effect === 'read',
      openWorldHint: effect === 'write',
    },
    scopes: needed === undefined ? ['session:write'] : ['session:write', needed],
    extension: owner,
    tier,
  };
}

/** How a call ended, as every face answers it. */
function invocationOf(end: CallEnd, tool: LiveTool | undefined): Invocation {
  const { call, tool: action, certainty, code, text, structured, cut, isError, detail } = end;
  if (code === undefined || (code === 'tool_error' && certainty === 'completed')) {
    const output: JsonObject = {
      text,
      ...(structured === undefined ? {} : { structured }),
      ...(cut === undefined ? {} : { cut }),
    };
    const done = { call, action, certainty, output, isSessionTool: true } as const;
    return isError ? { ...done, failureKind: 'tool_error' } : done;
  }
  const message = text.startsWith(`${code}: `) ? text.slice(code.length + 2) : text;
  const error = errorOf({ code, message, ...(detail === undefined ? {} : { detail }) });
  const refused = { call, action, certainty, error };
  const scope = isJsonObject(detail ?? null) ? (detail as JsonObject)['scope'] : undefined;
  const needsScope = tool === undefined ? undefined : scopeOf(tool);
  return code === 'insufficient_scope' && needsScope !== undefined && scope === needsScope
    ? { ...refused, needsScope }
    : refused;
}
