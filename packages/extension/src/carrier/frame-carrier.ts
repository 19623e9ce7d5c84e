import type { FiredKind } from '../contracts/hook-contracts.ts';
import { cutLine, thrownText } from '../contracts/text.ts';
import { ExtensionError, extensionError } from '../errors.ts';
import { faultDetail } from '../json/fault-detail.ts';
import type { Json } from '../json/json.ts';
import { ASKS_MAX, outputLimits } from '../limits.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { type Ask, checkAsk, type HostSide, type WireFault } from './ask.ts';
import type {
  CallId,
  CallRequest,
  Carrier,
  Contributions,
  Death,
  HookEndpoint,
  OpenRequest,
  RunningCall,
} from './carrier.ts';
import { type FramePort, frameText, type GuestFrame, type HostFrame } from './frames.ts';
import { readAnswer } from './read-answer.ts';
import { readContributions } from './read-contributions.ts';

interface Pending {
  readonly instance: string;
  /** Absent for `open` and `close`. */
  readonly request: CallRequest | undefined;
  resolve(value: Json): void;
  reject(error: ExtensionError): void;
}

export interface FrameCarrierOptions {
  readonly manifest: Manifest;
  readonly host: HostSide;
  /** The wall clock that contexts are told. */
  readonly now: () => number;
  /** Ends the code on the other side, once its instances are asked to end. */
  stop(): Promise<void>;
}

/**
 * The host's half of an extension that is reached by frames: a worker, or a JSON copy in the same thread. Whoever owns the port
 * hands every frame to `receive`, and says so when the other side has died.
 */
export class FrameCarrier implements Carrier {
  readonly manifest: Manifest;
  readonly #port: FramePort;
  readonly #options: FrameCarrierOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #calls = new Map<CallId, CallRequest>();
  readonly #idle = new Set<{ readonly instance: string | undefined; settle(): void }>();
  #lastId = 0;
  #asks = 0;
  #dead: Death | undefined;
  #ending: Promise<void> | undefined;

  constructor(port: FramePort, options: FrameCarrierOptions) {
    this.#port = port;
    this.#options = options;
    this.manifest = options.manifest;
  }

  get dead(): Death | undefined {
    return this.#dead;
  }

  /** Rejects with `instantiate_failed` also where what it contributes is no list of contributions. */
  async open(request: OpenRequest): Promise<Contributions> {
    const { instance, kind, key, name, settings } = request;
    const { id, answer } = this.#expect(instance, undefined);
    const frame: HostFrame = {
      frame: 'open',
      id,
      instance,
      kind,
      key,
      ...(name === undefined ? {} : { name }),
      settings,
    };
    this.#send(frame, id);
    return readContributions(this.manifest, await answer);
  }

  call(request: CallRequest): Promise<Json> {
    if (this.#dead !== undefined) throw this.#deathError('not_started');
    const { call, instance, endpoint, name, method, revision, input, context } = request;
    const { id, answer } = this.#expect(instance, request);
    const frame: HostFrame = {
      frame: 'call',
      id,
      call,
      instance,
      endpoint,
      name,
      ...(method === undefined ? {} : { method }),
      ...(revision === undefined ? {} : { revision }),
      input,
      context: { ...context, now_ms: this.#options.now() },
    };
    this.#send(frame, id);
    this.#calls.set(call, request);
    request.running = this.#running(id);
    return answer;
  }

  hook(instance: string, _kind: FiredKind): HookEndpoint {
    return {
      begin: (firing, context) => {
        firing.running = undefined;
        const { endpoint, name, input } = firing;
        const call = firing.nextCall();
        const request: CallRequest = { call, instance, endpoint, name, input, context, running: undefined };
        const answer = this.call(request);
        firing.running = request.running;
        return answer;
      },
    };
  }

  idle(instance?: string): Promise<void> {
    if (!this.#isBusy(instance)) return Promise.resolve();
    return new Promise((settle) => {
      this.#idle.add({ instance, settle });
    });
  }

  quiet(): void {
    this.#post({ frame: 'quiet' });
  }

  async close(instance: string): Promise<void> {
    if (this.#dead !== undefined) return;
    const { id, answer } = this.#expect(instance, undefined);
    this.#send({ frame: 'close', id, instance }, id);
    // A death in between has ended it too.
    await answer.catch(() => null);
  }

  end(): Promise<void> {
    this.#ending ??= this.#options
      .stop()
      .then(() => this.died({ code: 'extension_ended', reason: 'it was ended' }));
    return this.#ending;
  }

  /** The other side is gone: what was posted and not answered is of unknown outcome. */
  died(death: Death): void {
    if (this.#dead !== undefined) return;
    this.#dead = death;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#calls.clear();
    for (const { reject } of pending) reject(this.#deathError('outcome_unknown'));
    this.#tellIdle();
  }

  /** A frame of the other side, checked. */
  receive(frame: Exclude<GuestFrame, { readonly frame: 'ready' | 'failed' | 'pong' }>): void {
    switch (frame.frame) {
      case 'result':
        this.#answered(frame.id, frame.value);
        break;
      case 'fault': {
        const { certainty } = frame;
        const code = cutLine(frame.code, outputLimits.maxFaultCode);
        const message = cutLine(frame.message, outputLimits.maxFaultMessage * 2);
        const detail = faultDetail(frame.detail);
        const error = new ExtensionError(code, message, {
          ...(certainty === undefined ? {} : { certainty }),
          ...(detail === undefined ? {} : { detail }),
        });
        this.#take(frame.id)?.reject(error);
        break;
      }
      case 'ask':
        void this.#answer(frame.id, frame.op);
        break;
      case 'changed':
        this.#options.host.changed(frame.instance);
        break;
      default: {
        const { level, message, data } = frame;
        this.#options.host.log(data === undefined ? { level, message } : { level, message, data });
      }
    }
  }

  /** It answers something that was asked and has no answer yet. */
  isAwaited(frame: GuestFrame): boolean {
    return (frame.frame === 'result' || frame.frame === 'fault') && this.#pending.has(frame.id);
  }

  #expect(
    instance: string,
    request: CallRequest | undefined,
  ): { readonly id: number; readonly answer: Promise<Json> } {
    if (this.#dead !== undefined) throw this.#deathError('not_started');
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<Json>((resolve, reject) => {
      this.#pending.set(id, { instance, request, resolve, reject });
    });
    return { id, answer };
  }

  #send(frame: HostFrame, id: number): void {
    const text = frameText(frame);
    if (text === undefined) {
      this.#pending.delete(id);
      throw extensionError('frame_too_large', frame.frame, { certainty: 'not_started' });
    }
    this.#port.post(text);
  }

  #running(id: number): RunningCall {
    const controller = new AbortController();
    return {
      '~signal': controller.signal,
      '~abort': () => {
        if (!this.#pending.has(id)) return;
        this.#post({ frame: 'abort', id });
        controller.abort();
      },
      '~end': () => {
        if (this.#take(id) === undefined) return;
        // It was not answered: the other side is told to let its context expire.
        this.#post({ frame: 'abort', id });
        this.#post({ frame: 'abort', id });
      },
    };
  }

  #post(frame: HostFrame): void {
    const text = frameText(frame);
    if (text !== undefined && this.#dead === undefined) this.#port.post(text);
  }

  #answered(id: number, value: Json): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    const { request, resolve, reject } = pending;
    try {
      resolve(request === undefined ? value : readAnswer(request.endpoint, value));
    } catch (garbage) {
      reject(garbage as ExtensionError);
    }
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    if (pending.request !== undefined) {
      this.#calls.delete(pending.request.call);
      this.#tellIdle();
    }
    return pending;
  }

  #isBusy(instance: string | undefined): boolean {
    for (const pending of this.#pending.values())
      if (pending.request !== undefined && (instance === undefined || pending.instance === instance))
        return true;
    return false;
  }

  #tellIdle(): void {
    for (const waiting of this.#idle) {
      if (this.#isBusy(waiting.instance)) continue;
      this.#idle.delete(waiting);
      waiting.settle();
    }
  }

  #deathError(certainty: 'not_started' | 'outcome_unknown'): ExtensionError {
    const { code, reason } = this.#dead ?? { code: 'extension_ended', reason: 'it was ended' };
    return extensionError(code, reason, { certainty });
  }

  async #answer(id: number, op: Ask): Promise<void> {
    let fault: WireFault;
    try {
      const value = await this.#ask(op);
      const text = frameText({ frame: 'answer', id, value });
      if (text !== undefined) {
        if (this.#dead === undefined) this.#port.post(text);
        return;
      }
      fault = { code: 'frame_too_large', message: extensionError('frame_too_large', op.op).message };
    } catch (thrown) {
      fault = faultOf(thrown);
    }
    this.#post({ frame: 'answer', id, fault });
  }

  /** A question about a session names no call: any that runs there may be the one that asks. */
  #callerOf(op: Ask): CallRequest | undefined {
    if ('call' in op) return this.#calls.get(op.call);
    if (!('session' in op)) return undefined;
    for (const request of this.#calls.values()) if (request.context.session === op.session) return request;
    return undefined;
  }

  async #ask(op: Ask): Promise<Json> {
    checkAsk(this.manifest, op.op);
    if (this.#asks >= ASKS_MAX) throw extensionError('too_many_asks');
    const caller = this.#callerOf(op);
    if ('call' in op && caller === undefined) throw extensionError('context_expired');
    this.#asks += 1;
    try {
      return await this.#options.host.ask(op, caller);
    } finally {
      this.#asks -= 1;
    }
  }
}

/** What the host's own code threw crosses with its code, or as a failure that tells nothing of the host. */
function faultOf(thrown: unknown): WireFault {
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string')
    return { code: thrown.code, message: thrownText(thrown, outputLimits.maxFaultMessage * 2) };
  return { code: 'cap_failed', message: extensionError('cap_failed').message };
}
