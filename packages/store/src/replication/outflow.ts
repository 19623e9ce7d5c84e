import type { Json } from '@fairlead/base';
import { ACK_MS, MAX_COMMITS_IN_APPLY } from '../limits.ts';
import type { Version } from '../log/chain.ts';
import type { Commit } from '../log/commit.ts';
import type { DatabaseState } from '../log/database-state.ts';
import { since } from '../log/since.ts';
import type { PeerCore } from '../peer/peer-core.ts';
import type { DenyReason, Frame } from './frame.ts';
import type { Link } from './link.ts';
import { type Offer, offerTo } from './offer.ts';

/** What a flow needs of its session. */
export type FlowContext = {
  readonly core: PeerCore;
  /** The other's proven id; undefined until then. */
  readonly remote: () => string | undefined;
  /** Resolves when there is room for more. */
  readonly send: (frame: Frame) => Promise<void>;
  readonly isOver: () => boolean;
  readonly ended: Promise<unknown>;
  readonly onTimeout: () => void;
};

/** Sends what the other lacks of one database, a batch at a time, then rests until there is more: catching up and live are one flow. */
export class Outflow {
  readonly #link: Link;
  readonly #by: FlowContext;

  constructor(link: Link, by: FlowContext) {
    this.#link = link;
    this.#by = by;
  }

  async run(): Promise<void> {
    while (!this.#by.isOver()) {
      const remote = this.#by.remote();
      const state = remote === undefined ? undefined : await this.#by.core.stateIfHere(this.#link.root);
      if (!(await this.#step(state))) await this.#link.rest();
    }
  }

  /** What of the database is for the other's eyes. */
  offer(state: DatabaseState): Offer {
    return offerTo(state, this.#by.remote() ?? '');
  }

  /** Says what this side holds. */
  tellHave(state: DatabaseState | undefined): void {
    const { root } = this.#link;
    this.#link.told = true;
    const version = this.#shownVersion(state);
    const heads = [...(state?.chains.values() ?? [])]
      .filter(({ author, seq }) => version[author] === seq)
      .map(({ author, hash }) => [author, hash]);
    void this.#by.send({ type: 'have', root, version, heads: Object.fromEntries(heads) });
  }

  /** Answers a batch, taken or not. */
  acknowledge(state: DatabaseState | undefined): void {
    void this.#by.send({ type: 'ack', root: this.#link.root, version: this.#shownVersion(state) });
  }

  /** All that is here, or what a peer whose right has ended may know of. */
  #shownVersion(state: DatabaseState | undefined): Version {
    if (state === undefined) return {};
    const offer = this.offer(state);
    const all = [...state.chains.values()];
    if (offer.kind === 'revocation')
      return Object.fromEntries(all.map(({ author, seq }) => [author, Math.min(seq, offer.upTo(author))]));
    return offer.kind === 'everything' || this.#link.asked
      ? Object.fromEntries(all.map(({ author, seq }) => [author, seq]))
      : {};
  }

  refuse(why: DenyReason): void {
    if (this.#link.refused) return;
    this.#link.refused = true;
    void this.#by.send({ type: 'deny', root: this.#link.root, why });
  }

  /** True when there may be more to do at once. */
  async #step(state: DatabaseState | undefined): Promise<boolean> {
    const link = this.#link;
    const offer: Offer = state === undefined ? { kind: 'nothing' } : this.offer(state);
    if (state === undefined || offer.kind === 'nothing') {
      if (link.wanted && !link.asked) this.refuse('not_found');
      return false;
    }
    if (!link.wanted && !link.asked) return false;
    if (link.refused && offer.kind === 'everything') {
      // It has a right again, or for the first time: the other hears of it by itself.
      link.refused = false;
      link.told = false;
    }
    if (!link.told) this.tellHave(state);
    if (link.theirs === undefined || link.refused || link.denied !== undefined) return false;
    const commits = await this.#lacking(state, link.theirs, offer);
    if (commits.length > 0) {
      await this.#sendBatch(commits);
      return true;
    }
    if (offer.kind === 'revocation') this.refuse('revoked');
    else if (!link.outEven) {
      link.outEven = true;
      void this.#by.send({ type: 'even', root: link.root });
      link.tell();
    }
    return false;
  }

  #lacking(state: DatabaseState, theirs: Version, offer: Offer): Promise<Commit[]> {
    const version = [...state.chains.values()].map(({ author, seq }) => [
      author,
      this.#link.stuck.has(author) ? seq : (theirs[author] ?? 0),
    ]);
    const upTo = offer.kind === 'revocation' ? { upTo: offer.upTo } : {};
    return since(this.#by.core.engine, state, {
      version: Object.fromEntries(version),
      bounds: { commits: MAX_COMMITS_IN_APPLY, ...upTo },
    });
  }

  async #sendBatch(commits: readonly Commit[]): Promise<void> {
    const link = this.#link;
    link.outEven = false;
    const acknowledged = link.acknowledged();
    const timer = this.#by.core.clock.setTimer(ACK_MS, this.#by.onTimeout);
    await this.#by.send({ type: 'commits', root: link.root, commits: commits as unknown as readonly Json[] });
    const version = await Promise.race([acknowledged, this.#by.ended.then((): Version => ({}))]);
    timer.cancel();
    for (const { header } of commits)
      if ((version[header.author] ?? 0) < header.seq) link.stuck.add(header.author);
  }
}
