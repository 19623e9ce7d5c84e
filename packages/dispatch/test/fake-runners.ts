import { completed, failed, type Json, type JsonObject, type Outcome } from '@fairlead/base';
import {
  checkResponse,
  type RunnerPayload,
  type RunnerRequest,
  readRunnerResponse,
  responseOf,
  toolObservation,
} from '@fairlead/protocol';
import type {
  RunnerEvents,
  RunnerListener,
  RunnerPort,
  RunnerRequestOptions,
  VisibleRunner,
} from '../src/index.ts';

/** What the port was asked for, in order. */
export type Sent = {
  readonly runner: string;
  readonly instanceId: string;
  readonly request: RunnerRequest;
  readonly options: RunnerRequestOptions;
};

export type Answer = (sent: Sent) => Outcome<RunnerPayload> | Promise<Outcome<RunnerPayload>>;

/** Runners that answer as told. The answers are looked up by request kind. */
export class FakeRunners implements RunnerPort, RunnerEvents {
  readonly listeners = new Set<RunnerListener>();
  connected: VisibleRunner[] = [fakeRunner('local')];
  readonly sent: Sent[] = [];
  /** The questions about calls, which are not among what was sent. */
  readonly asked: Sent[] = [];
  readonly answers: Partial<Record<RunnerRequest['kind'], Answer>> = {
    providers_list: () =>
      completed({
        kind: 'providers_list',
        providers: [
          { id: 'echo', name: 'Echo', status: 'ready', error_code: null },
          { id: 'broken', name: 'Broken', status: 'failed', error_code: 'plugin_eof' },
        ],
      }),
    tools_list: () => completed(echoTools()),
    tools_call: () =>
      completed({ kind: 'tools_call', result: { content: [{ type: 'text', text: 'said' }] } }),
    outcome: () => fault('not_started', 'invalid_plugin_request'),
  };

  runners(): readonly VisibleRunner[] {
    return this.connected;
  }

  async request(
    runner: string,
    instanceId: string,
    request: RunnerRequest,
    options: RunnerRequestOptions,
  ): Promise<Outcome<RunnerPayload>> {
    const sent = { runner, instanceId, request, options };
    (request.kind === 'outcome' ? this.asked : this.sent).push(sent);
    const answer = this.answers[request.kind];
    if (answer === undefined) throw new Error(`no answer for ${request.kind}`);
    const outcome = await answer(sent);
    // As the port promises: what cannot be the answer does not pass the border.
    return canAnswer(request, outcome) ? outcome : fault('outcome_unknown', 'invalid_plugin_response');
  }

  listen(listener: RunnerListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** A process of a Runner registers, in place of whichever stood there. */
  registers(runner: VisibleRunner): void {
    this.connected = [...this.connected.filter((other) => other.runner !== runner.runner), runner];
    for (const listener of this.listeners) listener.registered(runner);
  }

  /** A process of a Runner says that a call has ended. */
  ends(runner: VisibleRunner, call: string): void {
    for (const listener of this.listeners) listener.ended(runner, call);
  }

  /** The calls among what was sent. */
  calls(): Extract<RunnerRequest, { kind: 'tools_call' }>[] {
    return this.sent.flatMap(({ request }) => (request.kind === 'tools_call' ? [request] : []));
  }
}

function canAnswer(request: RunnerRequest, outcome: Outcome<RunnerPayload>): boolean {
  const response = responseOf(outcome);
  return readRunnerResponse(response as unknown as Json) !== null && checkResponse(request, response);
}

export function fakeRunner(runner: string, instanceId = `${runner}-1`): VisibleRunner {
  return { runner, instanceId, capabilities: ['native_tool_plugins'], projects: [] };
}

/** The definition of the tool `say`. */
export const SAY: JsonObject = {
  name: 'say',
  title: 'Say it',
  description: 'Says a text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
};

const SHOUT: JsonObject = { name: 'shout', inputSchema: { type: 'object' } };

export type ToolsList = Extract<RunnerPayload, { kind: 'tools_list' }>;

export function echoTools(
  changes: Partial<ToolsList> = {},
  definitions: readonly JsonObject[] = [SAY, SHOUT],
): ToolsList {
  return {
    kind: 'tools_list',
    provider: 'echo',
    provider_instance: 'instance-1',
    name: 'Echo',
    status: 'ready',
    error_code: null,
    tools: definitions.map((definition) => ({
      definition,
      observation: toolObservation(definition),
      timeout_secs: 30,
    })),
    ...changes,
  };
}

/** A fault as the port or a Runner gives it. The text is one that must never be shown. */
export function fault(certainty: 'not_started' | 'completed' | 'outcome_unknown', code: string) {
  return failed(certainty, code, 'FOREIGN TEXT /home/someone/secret', { foreign: 'FOREIGN DETAIL' });
}
