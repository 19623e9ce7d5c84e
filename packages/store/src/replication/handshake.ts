import type { Clock, Random } from '@fairlead/base';
import { storeError } from '../errors.ts';
import type { Identity } from '../log/identity.ts';
import { type PublicKeys, signBytes } from '../log/keys.ts';
import { encodeFrame, type Frame } from './frame.ts';

/** Who began the session: one side of each kind, so that a proof cannot be handed back to the one who made it. */
export type Side = 'dialer' | 'listener';

type Hello = { readonly peer: string; readonly nonce: string };

/** Each side says who it is and signs what both have said. The answer is the other's peer id, proven. */
export class Handshake {
  readonly #identity: Identity;
  readonly #keys: PublicKeys;
  readonly #side: Side;
  readonly #mine: Hello;
  readonly #wallMs: number;
  #theirs: Hello | undefined;

  constructor(options: {
    readonly identity: Identity;
    readonly keys: PublicKeys;
    readonly side: Side;
    readonly random: Random;
    readonly clock: Clock;
  }) {
    this.#identity = options.identity;
    this.#keys = options.keys;
    this.#side = options.side;
    this.#wallMs = options.clock.wallMs();
    this.#mine = {
      peer: options.identity.peer.id,
      nonce: Buffer.from(options.random(32)).toString('base64url'),
    };
  }

  hello(): string {
    return encodeFrame({ type: 'hello', v: 1, ...this.#mine, wall_ms: this.#wallMs });
  }

  /** Takes one message; answers what to send and, at the end, who the other is. Throws `replication_peer_refused`. */
  take(frame: Frame): { readonly send?: string; readonly proven?: string } {
    if (frame.type === 'hello' && this.#theirs === undefined) {
      this.#theirs = { peer: frame.peer, nonce: frame.nonce };
      const sig = signBytes(proofText(this.#side, this.#mine, this.#theirs), this.#identity.peer);
      return { send: encodeFrame({ type: 'prove', sig: sig.toString('base64url') }) };
    }
    if (frame.type !== 'prove' || this.#theirs === undefined) throw storeError('replication_frame_invalid');
    const side = this.#side === 'dialer' ? 'listener' : 'dialer';
    const text = proofText(side, this.#theirs, this.#mine);
    if (!this.#keys.verifies(this.#theirs.peer, text, Buffer.from(frame.sig, 'base64url')))
      throw storeError('replication_peer_refused');
    return { proven: this.#theirs.peer };
  }
}

/** What is signed: the signer's side, who it is and its nonce, then the same of the one that it is for. */
function proofText(side: Side, signer: Hello, other: Hello): Buffer {
  return Buffer.from(
    `fairlead session v1\n${side}\n${signer.peer}\n${signer.nonce}\n${other.peer}\n${other.nonce}`,
  );
}
