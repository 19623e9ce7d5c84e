import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Random } from '@fairlead/base';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals texts under the state directory's secret: AES-256-GCM, each bound to the name that it is kept under. */
export class SecretBox {
  readonly #key: Buffer;
  readonly #random: Random;

  /** @param secret The bytes of `secret.key`. A key of its own is derived from it. */
  constructor(secret: Uint8Array, random: Random) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'fairlead sealed secrets v1', 32));
    this.#random = random;
  }

  seal(name: string, text: string): Uint8Array {
    const nonce = Buffer.from(this.#random(NONCE_BYTES));
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    cipher.setAAD(Buffer.from(name));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** Undefined for what was not sealed here under this name, or was touched since. */
  open(name: string, sealed: Uint8Array): string | undefined {
    const bytes = Buffer.from(sealed);
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(name));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
