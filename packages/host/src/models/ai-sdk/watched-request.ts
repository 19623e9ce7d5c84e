import type { Clock, Timer } from '@fairlead/base';
import { modelLimits } from '../../limits.ts';
import { faultOfStatus } from '../fault-of-status.ts';
import { ModelFault } from '../model.ts';
import { retryAfterMs } from './retry-after.ts';
import { whatItSaid } from './what-it-said.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface WatchOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** The longest silence: until the answer begins, and between two pieces of it. */
  readonly requestTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Taken out of whatever the back end says. */
  readonly secret?: string;
}

/**
 * One HTTP request and its answer, under deadlines and bounds. Whatever goes wrong on the way becomes one fault, `fault`, the first; what
 * a client library makes of it afterwards does not matter. Redirects are not followed.
 */
export class WatchedRequest implements Disposable {
  readonly #options: WatchOptions;
  readonly #abort = new AbortController();
  readonly #cancel = () => this.#fail(new ModelFault('model_cancelled', { retryable: false }));
  readonly #startedMs: number;
  #heardMs: number;
  #timer: Timer | undefined;
  #fault: ModelFault | undefined;
  #ended = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#startedMs = this.#heardMs = options.clock.monotonicMs();
    options.signal.addEventListener('abort', this.#cancel, { once: true });
    if (options.signal.aborted) this.#cancel();
    else this.#look();
  }

  /** For the client library: aborts at the abort of the caller, at a deadline and at a bound. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why it failed, once it did. */
  get fault(): ModelFault | undefined {
    return this.#fault;
  }

  /** True once the whole answer came. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The `fetch` that the client library is given. Rejects with the fault. */
  readonly fetch: Fetch = async (input, init) => {
    const response = await this.#ask(input, init);
    this.#heard();
    if (!response.ok) throw this.#fail(await this.#refusal(response));
    const type = response.headers.get('content-type') ?? '';
    if (/json|html/i.test(type)) {
      const said = await this.#said(response);
      throw this.#fail(
        new ModelFault('model_reply_invalid', {
          retryable: true,
          what: 'it is no stream of events',
          ...(said === undefined ? {} : { detail: { said } }),
        }),
      );
    }
    const { status, headers } = response;
    return new Response(response.body === null ? null : this.#watched(response.body), { status, headers });
  };

  /** Ends what still runs, and every timer and listener of it. */
  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#options.signal.removeEventListener('abort', this.#cancel);
    this.#abort.abort();
  }

  async #ask(input: string | URL | Request, init: RequestInit | undefined): Promise<Response> {
    try {
      return await this.#options.fetch(input, { ...init, redirect: 'manual', signal: this.signal });
    } catch (cause) {
      throw this.#fail(networkFault(cause));
    }
  }

  async #refusal(response: Response): Promise<ModelFault> {
    const afterMs = retryAfterMs(response.headers, this.#options.clock.wallMs());
    const said = await this.#said(response);
    return faultOfStatus(response.status, {
      ...(afterMs === undefined ? {} : { afterMs }),
      ...(said === undefined ? {} : { said }),
    });
  }

  /** The words of an answer that is no reply, as far as they come in time; none where they break off. */
  async #said({ body }: Response): Promise<string | undefined> {
    if (body === null) return undefined;
    const reader = body.getReader();
    const enough = () => void reader.cancel().catch(() => {});
    const timer = this.#options.clock.setTimer(modelLimits.refusalMs, enough, { unref: true });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      while (bytes < modelLimits.refusalBytes) {
        const { done, value } = await reader.read();
        if (done) break;
        bytes += value.length;
        chunks.push(value);
      }
    } catch {
      return undefined;
    } finally {
      timer.cancel();
      enough();
    }
    return whatItSaid(Buffer.concat(chunks).toString('utf8'), this.#options.secret);
  }

  #watched(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let bytes = 0;
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (this.#fault !== undefined) throw this.#fault;
          this.#heard();
          if (done) {
            this.#ended = true;
            controller.close();
            return;
          }
          bytes += value.length;
          if (bytes > modelLimits.replyBytes)
            throw new ModelFault('model_reply_too_large', { retryable: false });
          controller.enqueue(value);
        } catch (cause) {
          const fault =
            cause instanceof ModelFault
              ? cause
              : new ModelFault('model_stream_broken', { retryable: true, cause });
          controller.error(this.#fail(fault));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  #heard(): void {
    this.#heardMs = this.#options.clock.monotonicMs();
  }

  /** One timer for both deadlines; it looks when the earlier could have passed, not at each piece. */
  #look(): void {
    const { clock, requestTimeoutMs } = this.#options;
    const nowMs = clock.monotonicMs();
    const leftMs = Math.min(
      this.#heardMs + requestTimeoutMs - nowMs,
      this.#startedMs + modelLimits.attemptMs - nowMs,
    );
    if (leftMs <= 0) this.#fail(new ModelFault('model_timeout', { retryable: true }));
    else this.#timer = clock.setTimer(leftMs, () => this.#look(), { unref: true });
  }

  #fail(fault: ModelFault): ModelFault {
    if (this.#fault !== undefined) return this.#fault;
    this.#fault = fault;
    this.#timer?.cancel();
    this.#abort.abort(fault);
    return fault;
  }
}

/** Faults of a connection that never stood: nothing was sent. */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_\w+)$/;
const TIMED_OUT = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/;

function networkFault(cause: unknown): ModelFault {
  const code = systemCode(cause);
  if (code !== undefined && TIMED_OUT.test(code))
    return new ModelFault('model_timeout', { retryable: true, cause });
  const free = code !== undefined && NEVER_CONNECTED.test(code);
  return new ModelFault('model_unreachable', {
    retryable: true,
    free,
    cause,
    ...(code === undefined ? {} : { what: code, detail: { system: code } }),
  });
}

/** The system's word for it, which is safe to show: a code, never a text. */
function systemCode(thrown: unknown): string | undefined {
  for (let at = thrown, depth = 0; typeof at === 'object' && at !== null && depth < 4; depth += 1) {
    const { code, cause, errors } = at as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code)) return code;
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return undefined;
}
