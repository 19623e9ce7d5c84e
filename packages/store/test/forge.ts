// Makes commits without the package's code, as docs/reference/store.md describes them: what another program would write, or an
// attacker. Each step can be given something else than what is right.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '@fairlead/base';

const digest = (label: string, text: string) => createHash('sha256').update(`${label}\n${text}`).digest();

export type ForgedKey = { readonly id: string; readonly key: KeyObject };

/** The key pair of a seed that repeats one byte. */
export function forgeKey(byte: number): ForgedKey {
  const head = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({
    key: Buffer.concat([head, Buffer.alloc(32, byte)]),
    format: 'der',
    type: 'pkcs8',
  });
  return { id: String(createPublicKey(key).export({ format: 'jwk' }).x), key };
}

export type Forged = { readonly header: JsonObject; readonly ops: readonly Json[]; readonly sig: string };

/** One author's hand: it remembers its chain. */
export class Forger {
  readonly peer: ForgedKey;
  readonly author: ForgedKey;
  seq = 0;
  prev = '';
  hlc = 0;

  constructor(peer: ForgedKey, author: ForgedKey) {
    this.peer = peer;
    this.author = author;
  }

  /** What an author's first commit begins with. */
  authorOp(signer = this.peer): JsonObject {
    const certificate = sign(null, Buffer.from(`fairlead author v1\n${this.author.id}`), signer.key);
    return { op: 'author', peer: this.peer.id, certificate: certificate.toString('base64url') };
  }

  /** The next commit of the chain. `other` replaces members of the header before it is hashed. */
  write(
    ops: readonly Json[],
    at: { readonly database: string; readonly hlc: number; readonly settings: Json },
    other: JsonObject = {},
    signer = this.author,
  ): Forged {
    const header: JsonObject = {
      v: 1,
      database: at.database,
      author: this.author.id,
      seq: this.seq + 1,
      hlc: at.hlc,
      prev: this.prev,
      settings: at.settings,
      ops: ops.map((op) => digest('fairlead op v1', canonicalJson(op)).toString('base64url')),
      ...other,
    };
    const hash = digest('fairlead commit v1', canonicalJson(header));
    this.seq += 1;
    this.prev = hash.toString('base64url');
    this.hlc = at.hlc;
    return { header, ops, sig: sign(null, hash, signer.key).toString('base64url') };
  }

  /** Begins a database; returns its root id with the commit. */
  begin(
    kind: string,
    prefix: string,
    hlc: number,
    more: readonly Json[] = [],
    nonce: Buffer = Buffer.alloc(32),
  ): { root: string; commit: Forged } {
    const genesis = {
      op: 'genesis',
      kind,
      peer: this.peer.id,
      nonce: nonce.toString('base64url'),
    };
    const commit = this.write([this.authorOp(), genesis, ...more], { database: '', hlc, settings: null });
    return { root: prefix + this.prev, commit };
  }
}

/** Checks a whole database the way another program would; throws where something is not as described. */
export function verifyDatabase(root: string, commits: readonly Forged[]): void {
  const heads = new Map<string, { seq: number; prev: string; hlc: number }>();
  for (const { header, ops, sig } of commits) {
    const author = String(header['author']);
    const head = heads.get(author) ?? { seq: 0, prev: '', hlc: 0 };
    const hash = digest('fairlead commit v1', canonicalJson(header));
    const digests = ops.map((op) => digest('fairlead op v1', canonicalJson(op)).toString('base64url'));
    const begins = header['database'] === '';
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: author }, format: 'jwk' });
    const isRight =
      header['seq'] === head.seq + 1 &&
      header['prev'] === head.prev &&
      Number(header['hlc']) > head.hlc &&
      canonicalJson(header['ops'] ?? null) === canonicalJson(digests) &&
      (begins ? root.endsWith(hash.toString('base64url')) : header['database'] === root) &&
      verify(null, hash, key, Buffer.from(sig, 'base64url'));
    if (!isRight) throw new Error(`commit ${author}:${String(header['seq'])} is not right`);
    heads.set(author, {
      seq: head.seq + 1,
      prev: hash.toString('base64url'),
      hlc: Number(header['hlc']),
    });
  }
}
