import { join } from 'node:path';
import type { JsonObject, Random } from '@fairlead/base';
import { storeError } from '../errors.ts';
import type { Identity } from '../log/identity.ts';
import { certificateText, newSigningKey, type SigningKey, signBytes, signingKey } from '../log/keys.ts';
import { type Incarnation, incarnationOf } from './incarnation.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';

const PEER_FORMAT = 'fairlead-peer-key-v1';
const AUTHOR_FORMAT = 'fairlead-author-key-v1';

/** Why a new author was made: there was none, the database file is another one, its content is older, or it was dropped. */
export type MintReason = 'first' | 'moved' | 'older' | 'dropped';

/** The key files of a state directory. */
export class IdentityFiles {
  readonly #folder: string;
  readonly #databasePath: string;
  readonly #random: Random;

  constructor(options: {
    readonly stateDirectory: string;
    readonly databasePath: string;
    readonly random: Random;
  }) {
    this.#folder = options.stateDirectory;
    this.#databasePath = options.databasePath;
    this.#random = options.random;
  }

  /**
   * Who this data folder writes as. The peer is made once and kept. The author belongs to one incarnation of the database
   * file: another device, inode or birth time, or a content that is older than what was seen before, makes a new one, so that
   * a number of its chain is never used twice. Throws `key_file_invalid` for a damaged `peer.key`.
   */
  open(arrivals: number): { readonly identity: Identity; readonly minted: MintReason | null } {
    const peer = this.#peer();
    const incarnation = incarnationOf(this.#databasePath);
    const known = this.#author();
    const minted = mintReason(known, { peer: peer.id, incarnation, arrivals });
    if (known === null || minted !== null) return { identity: this.mint(peer, arrivals), minted };
    const identity = { peer, author: known.author, certificate: known.certificate };
    this.note(identity, arrivals);
    return { identity, minted: null };
  }

  /** Makes a new author for the peer and writes its file. */
  mint(peer: SigningKey, arrivals: number): Identity {
    const author = newSigningKey(this.#random);
    const certificate = signBytes(certificateText(author.id), peer).toString('base64url');
    const identity = { peer, author, certificate };
    this.note(identity, arrivals);
    return identity;
  }

  /** Writes the author's file with what the database holds now: a content that is older than that is a copy's. */
  note({ peer, author, certificate }: Identity, arrivals: number): void {
    writeKeyFile(join(this.#folder, 'author.key'), {
      format: AUTHOR_FORMAT,
      id: author.id,
      seed: author.seed.toString('base64url'),
      peer: peer.id,
      certificate,
      ...incarnationOf(this.#databasePath),
      arrivals,
    });
  }

  #peer(): SigningKey {
    const path = join(this.#folder, 'peer.key');
    const stored = readKeyFile(path);
    if (stored !== undefined) {
      const key = peerKeyOf(stored);
      if (key === null) throw storeError('key_file_invalid');
      return key;
    }
    const peer = newSigningKey(this.#random);
    writeKeyFile(path, { format: PEER_FORMAT, id: peer.id, seed: peer.seed.toString('base64url') });
    return peer;
  }

  #author(): StoredAuthor | null {
    let stored: JsonObject | undefined;
    try {
      stored = readKeyFile(join(this.#folder, 'author.key'));
    } catch {
      return null; // A damaged one is as good as none: a new author costs nothing but a line in each database.
    }
    if (stored === undefined || stored['format'] !== AUTHOR_FORMAT) return null;
    const author = keyOf(stored);
    const { peer, certificate, device, inode, born, arrivals } = stored;
    if (author === null || typeof peer !== 'string' || typeof certificate !== 'string') return null;
    const incarnation = { device: String(device), inode: String(inode), born: String(born) };
    return { author, peer, certificate, incarnation, arrivals: Number(arrivals) };
  }
}

type StoredAuthor = {
  readonly author: SigningKey;
  readonly peer: string;
  readonly certificate: string;
  readonly incarnation: Incarnation;
  readonly arrivals: number;
};

function mintReason(
  known: StoredAuthor | null,
  now: { readonly peer: string; readonly incarnation: Incarnation; readonly arrivals: number },
): MintReason | null {
  if (known === null || known.peer !== now.peer) return now.arrivals === 0 ? 'first' : 'moved';
  const { device, inode, born } = known.incarnation;
  if (device !== now.incarnation.device || inode !== now.incarnation.inode || born !== now.incarnation.born)
    return 'moved';
  return known.arrivals <= now.arrivals ? null : 'older';
}

/** The key that a `peer.key` holds; null where it holds none. */
export function peerKeyOf(stored: JsonObject): SigningKey | null {
  return stored['format'] === PEER_FORMAT ? keyOf(stored) : null;
}

function keyOf(stored: JsonObject): SigningKey | null {
  const { id, seed } = stored;
  if (typeof seed !== 'string') return null;
  const bytes = Buffer.from(seed, 'base64url');
  if (bytes.length !== 32) return null;
  const key = signingKey(bytes);
  return key.id === id ? key : null;
}
