import { type Clock, delay, type Random } from '@fairlead/base';
import { type Model, ModelFault, type ModelMeta, type ModelPart, type ModelRequest } from '../model.ts';
import type { AttemptLedger, Ceiling, OpenAttempt } from './attempt-ledger.ts';
import type { ModelCallGate } from './model-call-gate.ts';
import { type Reply, ReplyDraft } from './reply.ts';
import { retryWaitMs } from './retry-wait.ts';

/** What is shown while a step runs. After `step_reset` everything shown of this step is void. */
export type StepEvent =
  | { readonly type: 'text' | 'reasoning'; readonly delta: string }
  | {
      readonly type: 'step_reset';
      readonly fault: ModelFault;
      /** Until the next attempt; null where there is none. */
      readonly waitMs: number | null;
    };

export interface StepOptions {
  readonly model: Model;
  readonly request: Omit<ModelRequest, 'meta' | 'signal'>;
  readonly meta: Omit<ModelMeta, 'attempt'>;
  /** Attempts after the first, 0 or more. */
  readonly maxRetries: number;
  /** Tokens of the prompt, about. */
  readonly estimatedInput: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: AttemptLedger;
  /** Held while an attempt runs, and not while one is waited for. */
  readonly gate?: ModelCallGate;
  readonly emit: (event: StepEvent) => void;
}

export type StepOutcome =
  | { readonly ok: true; readonly reply: Reply; readonly nanousd: number | null; readonly attempts: number }
  | { readonly ok: false; readonly fault: ModelFault; readonly attempts: number }
  | { readonly ok: false; readonly ceiling: Ceiling; readonly attempts: number };

/**
 * One step of a turn: asks the model, and again where an attempt was broken and may succeed later. Only a whole reply comes out; what
 * a broken attempt had said is gone. Each attempt is in the ledger before it is made. An abort ends it at once, however the model behaves.
 * Rejects only where the ledger does, which is the store's word.
 */
export async function runStep(options: StepOptions): Promise<StepOutcome> {
  const { ledger, gate, signal, maxRetries, random, clock, emit, estimatedInput } = options;
  for (let attempt = 0; ; attempt += 1) {
    const leave = gate === undefined ? () => {} : await gate.enter(signal);
    if (leave === null) return { ok: false, fault: cancelled(), attempts: attempt };
    let ended: Ended;
    let nanousd: number | null = null;
    try {
      if (signal.aborted) return { ok: false, fault: cancelled(), attempts: attempt };
      const opened = await ledger.open({ input: estimatedInput });
      if (!opened.ok) return { ok: false, ceiling: opened.ceiling, attempts: attempt };
      ended = await makeAttempt(options, attempt);
      ({ nanousd } = await settle(opened.attempt, ended));
    } finally {
      leave();
    }
    if (ended.ok) return { ok: true, reply: ended.reply, nanousd, attempts: attempt + 1 };
    const { fault } = ended;
    const waitMs = signal.aborted ? null : retryWaitMs(fault, attempt, maxRetries, random);
    emit({ type: 'step_reset', fault, waitMs });
    if (waitMs === null) return { ok: false, fault, attempts: attempt + 1 };
    await delay(clock, waitMs, signal);
    if (signal.aborted) return { ok: false, fault: cancelled(), attempts: attempt + 1 };
  }
}

type Ended = { readonly output: number } & (
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly fault: ModelFault }
);

async function makeAttempt(options: StepOptions, attempt: number): Promise<Ended> {
  const { model, request, meta, signal, emit } = options;
  const draft = new ReplyDraft();
  try {
    const parts = model.stream({ ...request, signal, meta: { ...meta, attempt } });
    for await (const part of untilAborted(parts, signal)) {
      if (part.type === 'end') return { ok: true, reply: draft.end(part), output: draft.tokens };
      draft.add(part);
      if (part.type !== 'call' && part.delta !== '') emit({ type: part.type, delta: part.delta });
    }
    throw new ModelFault('model_stream_broken', { retryable: true });
  } catch (thrown) {
    return { ok: false, fault: signal.aborted ? cancelled() : faultOf(thrown), output: draft.tokens };
  }
}

/** The same parts; rejects at the abort, also while the model does not hear it. */
async function* untilAborted(
  parts: AsyncIterable<ModelPart>,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, void, undefined> {
  const iterator = parts[Symbol.asyncIterator]();
  let abort = (): void => {};
  const onAbort = () => abort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<ModelPart>>((resolve, reject) => {
        abort = () => reject(cancelled());
        if (signal.aborted) abort();
        else iterator.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: one that does not hear the abort does not hear this either.
    iterator.return?.().then(undefined, () => {});
  }
}

/** A reply says what it cost. A refusal costs nothing. Of anything else nobody knows more than the estimate. */
function settle(attempt: OpenAttempt, ended: Ended): Promise<{ readonly nanousd: number | null }> {
  const usage = ended.ok ? ended.reply.usage : ended.fault.free ? NOTHING : null;
  return attempt.settle(usage === null ? { known: false, output: ended.output } : { known: true, usage });
}

const NOTHING = Object.freeze({ input: 0, output: 0, cached: 0, written: 0, reasoning: 0 });

function faultOf(thrown: unknown): ModelFault {
  if (thrown instanceof ModelFault) return thrown;
  return new ModelFault('model_reply_invalid', { retryable: false, cause: thrown });
}

function cancelled(): ModelFault {
  return new ModelFault('model_cancelled', { retryable: false });
}
