import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Random } from '@fairlead/base';
import { MAX_KEYS_READY } from '../limits.ts';

/** An Ed25519 key pair (RFC 8032). `id` is the base64url of the raw public key. */
export type SigningKey = { readonly id: string; readonly seed: Buffer; readonly privateKey: KeyObject };

/** What stands before the 32 bytes of a seed in its PKCS #8 form (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

export function newSigningKey(random: Random): SigningKey {
  return signingKey(Buffer.from(random(32)));
}

export function signingKey(seed: Buffer): SigningKey {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { id: String(x), seed, privateKey };
}

export function signBytes(bytes: Uint8Array, key: SigningKey): Buffer {
  return sign(null, bytes, key.privateKey);
}

/** Public keys by id, so that a chain's key is built once. */
export class PublicKeys {
  readonly #ready = new Map<string, KeyObject | null>();

  /** True when `signature` is that of `id` over `bytes`; false too where the id is no key. */
  verifies(id: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    const key = this.#get(id);
    return key !== null && verify(null, bytes, key, signature);
  }

  #get(id: string): KeyObject | null {
    const ready = this.#ready.get(id);
    if (ready !== undefined) return ready;
    if (this.#ready.size >= MAX_KEYS_READY) {
      const [oldest] = this.#ready.keys();
      if (oldest !== undefined) this.#ready.delete(oldest);
    }
    const key = publicKey(id);
    this.#ready.set(id, key);
    return key;
  }
}

function publicKey(id: string): KeyObject | null {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: id }, format: 'jwk' });
  } catch {
    return null;
  }
}

/** What a peer signs to say that an author is its own. */
export function certificateText(author: string): Buffer {
  return Buffer.from(`fairlead author v1\n${author}`);
}
