import type { Extension } from '../authoring/extension.ts';
import type { Clock } from '../clock.ts';
import { thrownText } from '../contracts/text.ts';
import { ExtensionError, extensionError } from '../errors.ts';
import { Guest } from '../guest/guest.ts';
import type { Json } from '../json/json.ts';
import { outputLimits } from '../limits.ts';
import type { Ask, HostSide } from './ask.ts';
import { abortCall, type CallRequest, endCall } from './carrier.ts';
import { type FramePort, frameText, type GuestFrame, type HostFrame, readFrame } from './frames.ts';

export interface ServedGuest {
  /** Hands over a text that arrived from the host. */
  receive(text: unknown): void;
}

export interface ServeOptions {
  readonly clock: Clock;
  /** Called when the host has said `stop` and every instance has ended. */
  stopped(): void;
}

/** The extension's half: serves frames to a guest. Throws `extension_not_defined`. */
export function serveGuest(extension: Extension, port: FramePort, options: ServeOptions): ServedGuest {
  return new FrameGuest(extension, port, options);
}

class FrameGuest implements ServedGuest, HostSide {
  readonly #guest: Guest;
  readonly #port: FramePort;
  readonly #options: ServeOptions;
  readonly #calls = new Map<number, { readonly request: CallRequest; aborted: boolean }>();
  readonly #asks = new Map<number, { resolve(value: Json): void; reject(error: ExtensionError): void }>();
  #lastAsk = 0;
  /** What the host's clock is ahead of ours, as the newest call told. */
  #aheadMs = 0;

  constructor(extension: Extension, port: FramePort, options: ServeOptions) {
    this.#port = port;
    this.#options = options;
    const { clock } = options;
    this.#guest = new Guest(extension, {
      host: this,
      clock: {
        monotonicMs: () => clock.monotonicMs(),
        wallMs: () => clock.wallMs() + this.#aheadMs,
        setTimer: (ms, fire) => clock.setTimer(ms, fire),
      },
    });
    this.#post({ frame: 'ready', manifest: this.#guest.manifest });
  }

  receive(text: unknown): void {
    const frame = readFrame<HostFrame>(text);
    // The host is trusted: what is no frame cannot come from it.
    if (frame === undefined) return;
    switch (frame.frame) {
      case 'open': {
        const { id, instance, kind, key, name, settings } = frame;
        const request = { instance, kind, key, ...(name === undefined ? {} : { name }), settings };
        void this.#reply(id, () => this.#guest.open(request) as unknown as Promise<Json>);
        break;
      }
      case 'call':
        this.#call(frame);
        break;
      case 'close':
        void this.#reply(frame.id, () => this.#guest.close(frame.instance).then(() => null));
        break;
      case 'abort':
        this.#abort(frame.id);
        break;
      case 'answer':
        this.#answered(frame);
        break;
      case 'ping':
        this.#post({ frame: 'pong' });
        break;
      case 'quiet':
        this.#guest.quiet();
        break;
      default:
        void this.#guest.end().then(() => this.#options.stopped());
    }
  }

  ask(op: Ask): Promise<Json> {
    this.#lastAsk += 1;
    const id = this.#lastAsk;
    const text = frameText({ frame: 'ask', id, op });
    if (text === undefined) throw extensionError('frame_too_large', op.op);
    const answer = new Promise<Json>((resolve, reject) => this.#asks.set(id, { resolve, reject }));
    this.#port.post(text);
    return answer;
  }

  log(line: Parameters<HostSide['log']>[0]): void {
    this.#post({ frame: 'log', ...line });
  }

  changed(instance: string): void {
    this.#post({ frame: 'changed', instance });
  }

  #call(frame: HostFrame & { frame: 'call' }): void {
    const { id, call, instance, endpoint, name, method, revision, input, context } = frame;
    if (context.now_ms !== undefined) this.#aheadMs = context.now_ms - this.#options.clock.wallMs();
    const request: CallRequest = {
      call,
      instance,
      endpoint,
      name,
      ...(method === undefined ? {} : { method }),
      ...(revision === undefined ? {} : { revision }),
      input,
      context,
      running: undefined,
    };
    this.#calls.set(id, { request, aborted: false });
    void this.#reply(id, () => this.#guest.call(request), endpoint === 'tool');
  }

  /** A first abort aborts the signal; a second one ends the call. */
  #abort(id: number): void {
    const running = this.#calls.get(id);
    if (running === undefined) return;
    abortCall(running.request);
    if (running.aborted) endCall(running.request);
    running.aborted = true;
  }

  async #reply(id: number, run: () => Json | Promise<Json>, isTool = false): Promise<void> {
    let reply: GuestFrame;
    try {
      reply = { frame: 'result', id, value: await run() };
    } catch (thrown) {
      reply = faultFrame(id, thrown);
    }
    this.#calls.delete(id);
    const text = frameText(reply);
    if (text !== undefined) this.#port.post(text);
    else {
      const code = isTool ? 'tool_output_invalid' : 'frame_too_large';
      this.#post(faultFrame(id, extensionError(code, 'its answer', { certainty: 'completed' })));
    }
  }

  #answered(frame: HostFrame & { frame: 'answer' }): void {
    const asked = this.#asks.get(frame.id);
    this.#asks.delete(frame.id);
    if (asked === undefined) return;
    if ('fault' in frame) asked.reject(new ExtensionError(frame.fault.code, frame.fault.message));
    else asked.resolve(frame.value);
  }

  #post(frame: GuestFrame): void {
    const text = frameText(frame);
    if (text !== undefined) this.#port.post(text);
  }
}

function faultFrame(id: number, thrown: unknown): GuestFrame {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'extension_load_failed';
  const message = thrownText(thrown, outputLimits.maxFaultMessage * 2);
  const { certainty, detail }: Partial<ExtensionError> = thrown instanceof ExtensionError ? thrown : {};
  return {
    frame: 'fault',
    id,
    code,
    message,
    ...(certainty === undefined ? {} : { certainty }),
    ...(detail === undefined ? {} : { detail }),
  };
}
