import { isJsonObject, type Json } from '@fairlead/base';
import { storeError } from '../errors.ts';
import type { Version } from '../log/chain.ts';
import { isDigest } from '../log/names.ts';
import type { DenyReason } from './frame.ts';

/** How far two peers are in one database. */
export type LinkStatus = 'asking' | 'catching_up' | 'even' | DenyReason;

/** One database in one session: what either side asked for and holds. */
export class Link {
  readonly root: string;
  /** This side asked for it, so what comes is taken whoever sends it. */
  asked = false;
  /** The other side asked for it. */
  wanted = false;
  /** What the other holds, as far as it said; undefined before it spoke of this database. */
  theirs: Version | undefined;
  /** This side has said what it holds. */
  told = false;
  /** The other has nothing more for this side. */
  inEven = false;
  /** This side has nothing more for the other. */
  outEven = false;
  denied: DenyReason | undefined;
  /** Own commits that the other has were looked for. */
  tookBack = false;
  /** This side has ended it for the other. */
  refused = false;
  /** Authors whose commits the other does not take: a fork, or a bound of its own. Not sent again in this session. */
  readonly stuck = new Set<string>();
  readonly #followers: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  #wake: (() => void) | undefined;
  #woken = false;
  #acked: ((version: Version) => void) | undefined;

  constructor(root: string) {
    this.root = root;
  }

  get status(): LinkStatus {
    if (this.denied !== undefined) return this.denied;
    if (this.theirs === undefined) return 'asking';
    return this.inEven && this.outEven ? 'even' : 'catching_up';
  }

  /** Resolves when both sides are even; rejects when the database is denied, or with the session. */
  even(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#followers.push({ resolve, reject });
      this.tell();
    });
  }

  /** Tells whoever waits for it how the link stands. */
  tell(): void {
    const { status } = this;
    if (status === 'even') for (const follower of this.#followers.splice(0)) follower.resolve();
    else if (status === 'not_found') this.fail(storeError('database_not_found'));
    else if (status === 'revoked')
      this.fail(storeError('access_denied', undefined, { needed: 'read', held: 'none' }));
  }

  fail(error: Error): void {
    for (const follower of this.#followers.splice(0)) follower.reject(error);
  }

  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** Until something happened that may give work; at once where it happened since the last rest. */
  async rest(): Promise<void> {
    if (!this.#woken)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#wake = undefined;
    this.#woken = false;
  }

  /** The other holds what it sends: it need not get that back. */
  sent(commits: readonly Json[]): void {
    const theirs: Record<string, number> = { ...this.theirs };
    for (const commit of commits) {
      const header = isJsonObject(commit) ? commit['header'] : undefined;
      const { author, seq } = isJsonObject(header) ? header : {};
      if (isDigest(author) && typeof seq === 'number' && seq > (theirs[author] ?? 0)) theirs[author] = seq;
    }
    this.theirs = theirs;
  }

  ack(version: Version): void {
    this.theirs = version;
    this.#acked?.(version);
  }

  /** The next acknowledgement. */
  async acknowledged(): Promise<Version> {
    const version = await new Promise<Version>((resolve) => {
      this.#acked = resolve;
    });
    this.#acked = undefined;
    return version;
  }
}
