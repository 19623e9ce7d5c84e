import type { Extension } from '../authoring/extension.ts';
import { type Clock, machineClock } from '../clock.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { HostSide } from './ask.ts';
import { FrameCarrier } from './frame-carrier.ts';
import { readGuestFrame } from './read-guest-frame.ts';
import { type ServedGuest, serveGuest } from './serve-guest.ts';

export interface JsonCarrierOptions {
  readonly host: HostSide;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * An extension in the same thread behind the frames of a worker: every argument and every result passes through JSON text, in
 * order. What a worker would refuse is refused, and time can be the caller's.
 */
export function jsonCarrier(extension: Extension, options: JsonCarrierOptions): FrameCarrier {
  const clock = options.clock ?? machineClock();
  let guest: ServedGuest | undefined;
  let carrier: FrameCarrier | undefined;
  let stopped = (): void => {};
  const toGuest = { post: (text: string) => queueMicrotask(() => guest?.receive(text)) };
  const toHost = (text: string): void => {
    const frame = readGuestFrame(text);
    if (frame === undefined) carrier?.died({ code: 'extension_crashed', reason: 'it sent no frame' });
    else if (frame.frame !== 'ready' && frame.frame !== 'failed' && frame.frame !== 'pong')
      carrier?.receive(frame);
  };
  guest = serveGuest(
    extension,
    { post: (text) => queueMicrotask(() => toHost(text)) },
    { clock, stopped: () => stopped() },
  );
  carrier = new FrameCarrier(toGuest, {
    manifest: deepFreeze(JSON.parse(JSON.stringify(extension.manifest)) as Manifest),
    host: options.host,
    now: () => clock.wallMs(),
    stop: () =>
      new Promise((resolve) => {
        stopped = resolve;
        toGuest.post('{"frame":"stop"}');
      }),
  });
  return carrier;
}
