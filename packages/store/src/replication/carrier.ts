/**
 * What carries the messages of a session: any duplex that keeps their order. It says nothing about who is at the other end;
 * the session proves that. Secrecy is the carrier's matter.
 */
export interface Carrier {
  /** Messages in order, until the other side or this one closes. One that is longer than allowed ends the carrier. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Hands one message over; resolves when there is room for more. Does nothing once the carrier is closed. */
  send(text: string): Promise<void>;
  /** Ends both directions. What was handed over before may still arrive. */
  close(): void;
}
