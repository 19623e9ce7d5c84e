import { type Clock, delay, encodeJson, type Json, type JsonObject } from '@fairlead/base';
import { tokenLimits } from '../../limits.ts';
import { faultOfStatus } from '../fault-of-status.ts';
import {
  type Message,
  type Model,
  ModelFault,
  type ModelPart,
  type ModelRequest,
  type ModelUsage,
} from '../model.ts';
import { toolText } from '../tool-text.ts';
import { type Reference, resolveReferences, valueAt } from './reference.ts';
import type { Script, ScriptCall, ScriptFault, ScriptStep, ScriptTurn } from './script.ts';

export interface ScriptedModelOptions {
  readonly script: Script;
  readonly clock: Clock;
  /** How long a `hang` lasts before it is `model_timeout`, as a silent server would. */
  readonly requestTimeoutMs: number;
}

/**
 * A model that says what its script says. Where it stands is told by `meta` alone, so that a restart changes nothing: the same
 * request has the same answer.
 */
export function scriptedModel(options: ScriptedModelOptions): Model {
  return { stream: (request) => play(options, request) };
}

async function* play(
  { script, clock, requestTimeoutMs }: ScriptedModelOptions,
  request: ModelRequest,
): AsyncGenerator<ModelPart, void, undefined> {
  const { signal, meta } = request;
  requireLive(signal);
  const { name, turns } = scriptFor(script, request);
  const place = `/scripts/${name}/${meta.turn}`;
  const turn = turns[meta.turn];
  if (turn === undefined) throw mismatch(place, 'the script has no such turn');
  const step = turn.steps[meta.step];
  const at = `${place}/steps/${meta.step}`;
  if (step === undefined) throw mismatch(at, 'the script has no such step');
  hold(turn, step, request, place, at);
  const calls = step.calls.map((call, index) => ({
    type: 'call' as const,
    id: `script_${meta.turn}_${meta.step}_${index}`,
    name: call.tool,
    arguments: argumentsOf(call, turn, request, `${at}/calls/${index}`),
  }));
  const fault = step.faults[meta.attempt];
  if (fault !== undefined && fault.kind !== 'cut') await fail(fault, clock, requestTimeoutMs, signal);
  const text = step.text ?? '';
  const pieces = piecesOf(fault === undefined ? text : halfOf(text), step.chunk);
  for (const delta of pieces) {
    if (step.delayMs > 0) {
      await delay(clock, step.delayMs, signal);
      requireLive(signal);
    }
    yield { type: 'text', delta };
  }
  if (fault !== undefined) throw new ModelFault('model_stream_broken', { retryable: true });
  yield* calls;
  const reason = calls.length > 0 ? 'calls' : 'stop';
  yield { type: 'end', reason, usage: step.usage ?? estimated(request.messages, text, calls) };
}

function scriptFor(
  { scripts }: Script,
  { meta: { agent, worker } }: ModelRequest,
): { readonly name: string; readonly turns: readonly ScriptTurn[] } {
  const names = [worker === undefined ? `agent:${agent}` : `worker:${worker}`, 'default'];
  const name = names.find((candidate) => scripts.has(candidate)) ?? 'default';
  return { name, turns: scripts.get(name) ?? [] };
}

/** Holds the request against what the script says of it. */
function hold(turn: ScriptTurn, step: ScriptStep, request: ModelRequest, place: string, at: string): void {
  const { when } = turn;
  if (when !== undefined && request.meta.step === 0 && !lastUserText(request.messages).includes(when))
    throw mismatch(`${place}/when`, 'the last user text does not have it');
  const { tools = [], absent = [], last } = step.expect ?? {};
  const offered = new Set(request.tools.map((tool) => tool.name));
  tools.forEach((tool, index) => {
    if (!offered.has(tool)) throw mismatch(`${at}/expect/tools/${index}`, 'the tool is not offered');
  });
  absent.forEach((tool, index) => {
    if (offered.has(tool)) throw mismatch(`${at}/expect/absent/${index}`, 'the tool is offered');
  });
  if (last !== undefined && !textOf(request.messages.at(-1)).includes(last))
    throw mismatch(`${at}/expect/last`, 'the last message does not have it');
}

function argumentsOf(call: ScriptCall, turn: ScriptTurn, request: ModelRequest, at: string): JsonObject {
  const found = resolveReferences(call.arguments, (reference) => resultOf(reference, turn, request));
  if (found === undefined) throw mismatch(`${at}/arguments`, 'a result that it refers to is not there');
  return found as JsonObject;
}

/**
 * A value of an earlier result of this turn. Each step before this one asked for tools, so the newest assistant messages with
 * calls are those steps, whatever ids their calls have by now.
 */
function resultOf(
  { from, pointer }: Reference,
  turn: ScriptTurn,
  { messages, meta }: ModelRequest,
): Json | undefined {
  const step = turn.steps.findIndex(({ calls }) => calls.some(({ as }) => as === from));
  const index = turn.steps[step]?.calls.findIndex(({ as }) => as === from) ?? -1;
  const asked = messages.filter(
    (message) => message.role === 'assistant' && (message.calls ?? []).length > 0,
  );
  const message = asked.at(step - meta.step);
  const id = message?.role === 'assistant' ? message.calls?.[index]?.id : undefined;
  const result = messages.find((candidate) => candidate.role === 'tool' && candidate.call === id);
  if (id === undefined || result?.role !== 'tool') return undefined;
  const { text, structured, error = false } = result;
  return valueAt({ text, ...(structured === undefined ? {} : { structured }), error }, pointer);
}

async function fail(
  fault: ScriptFault,
  clock: Clock,
  requestTimeoutMs: number,
  signal: AbortSignal,
): Promise<never> {
  if (fault.kind === 'status')
    throw faultOfStatus(fault.status, fault.afterMs === undefined ? {} : { afterMs: fault.afterMs });
  if (fault.kind === 'hang') {
    await delay(clock, requestTimeoutMs, signal);
    requireLive(signal);
    throw new ModelFault('model_timeout', { retryable: true });
  }
  throw new ModelFault('model_reply_invalid', { retryable: true });
}

function requireLive(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelFault('model_cancelled', { retryable: false });
}

function mismatch(pointer: string, problem: string): ModelFault {
  return new ModelFault('script_mismatch', {
    retryable: false,
    free: true,
    what: `${pointer}: ${problem}`,
    detail: { pointer, problem },
  });
}

/** The user messages at the end, behind which only the model's own doings stand. */
function lastUserText(messages: readonly Message[]): string {
  const end = messages.findLastIndex(({ role }) => role === 'user');
  const start = messages.findLastIndex(({ role }, index) => index < end && role !== 'user');
  return messages
    .slice(start + 1, end + 1)
    .map(textOf)
    .join('\n');
}

function textOf(message: Message | undefined): string {
  if (message === undefined) return '';
  return message.role === 'tool' ? toolText(message) : message.text;
}

function halfOf(text: string): string {
  const characters = [...text];
  return characters.slice(0, Math.ceil(characters.length / 2)).join('');
}

function piecesOf(text: string, size: number | undefined): readonly string[] {
  if (text === '') return [];
  if (size === undefined) return [text];
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}

function estimated(
  messages: readonly Message[],
  text: string,
  calls: readonly { arguments: JsonObject }[],
): ModelUsage {
  const tokens = (all: readonly string[]) =>
    Math.ceil(all.reduce((sum, one) => sum + Buffer.byteLength(one), 0) / tokenLimits.bytesPerToken);
  return {
    input: tokens(messages.map(textOf)),
    output: tokens([text, ...calls.map((call) => encodeJson(call.arguments))]),
    cached: 0,
    written: 0,
    reasoning: 0,
  };
}
