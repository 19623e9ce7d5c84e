import { linkLimits } from '@fairlead/protocol';

/** How long to wait before the next attempt: 1, 2, 5, 10, then 30 s, and from the start after a link that lasted 60 s. */
export class ReconnectBackoff {
  #attempts = 0;

  /** The next wait, given how long the link that was lost had been registered (0 when it never was). */
  nextDelayMs(registeredForMs: number): number {
    if (registeredForMs >= linkLimits.stableAfterMs) this.#attempts = 0;
    const delays = linkLimits.reconnectDelaysMs;
    const delayMs = delays[Math.min(this.#attempts, delays.length - 1)] as number;
    this.#attempts += 1;
    return delayMs;
  }
}
