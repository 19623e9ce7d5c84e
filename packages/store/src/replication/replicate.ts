import { type Clock, FairleadError, type Json, type Random } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { CLOCK_SKEW_SHOWN_MS, HANDSHAKE_MS, MAX_LINKS } from '../limits.ts';
import { OpenPeer, type Peer } from '../peer/peer.ts';
import type { PeerCore } from '../peer/peer-core.ts';
import type { Carrier } from './carrier.ts';
import { commonVersion } from './common-version.ts';
import { encodeFrame, type Frame, parseFrame } from './frame.ts';
import { Handshake, type Side } from './handshake.ts';
import { Link, type LinkStatus } from './link.ts';
import { Outflow } from './outflow.ts';
import { takeBack } from './take-back.ts';

/** Two peers that keep databases in step over one carrier, in both directions, for as long as it holds. */
export interface ReplicationSession extends AsyncDisposable {
  /** The other's peer id once it is proven. Rejects with `replication_peer_refused`, `_timeout`, `_closed` or `_frame_invalid`. */
  readonly remote: Promise<string>;
  /**
   * Asks for a database and keeps it in step from then on; one that is not here is made. Resolves when both sides have what the
   * other had. Rejects with `database_not_found` (or not for this peer), `access_denied` (its right has ended) or the session's end.
   */
  follow(root: string): Promise<void>;
  status(root: string): LinkStatus | undefined;
  /** Why the session ended: undefined when either side closed it. */
  readonly ended: Promise<FairleadError | undefined>;
  close(): Promise<void>;
}

export type ReplicateOptions = {
  readonly peer: Peer;
  readonly carrier: Carrier;
  readonly side: Side;
  readonly clock: Clock;
  readonly random: Random;
  /** The only peer that will do; anybody who proves an id where absent: rights decide what it gets. */
  readonly expect?: string;
};

/** Begins a session. The carrier is the session's from here on. */
export function replicate(options: ReplicateOptions): ReplicationSession {
  const { peer } = options;
  if (!(peer instanceof OpenPeer)) throw storeError('replication_closed');
  const session = new Session(peer, peer.core, options);
  session.begin();
  return session;
}

type Opened = { readonly link: Link; readonly flow: Outflow };

class Session implements ReplicationSession {
  readonly remote: Promise<string>;
  readonly ended: Promise<FairleadError | undefined>;
  readonly #peer: OpenPeer;
  readonly #core: PeerCore;
  readonly #carrier: Carrier;
  readonly #clock: Clock;
  readonly #expect: string | undefined;
  readonly #handshake: Handshake;
  readonly #links = new Map<string, Opened>();
  readonly #holds = new Set<() => void>();
  readonly #proven = Promise.withResolvers<string>();
  readonly #over = Promise.withResolvers<FairleadError | undefined>();
  readonly #unlisten: () => void;
  #remoteId: string | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #skewMs = 0;

  constructor(peer: OpenPeer, core: PeerCore, options: ReplicateOptions) {
    this.#peer = peer;
    this.#core = core;
    this.#carrier = options.carrier;
    this.#clock = options.clock;
    this.#expect = options.expect;
    this.remote = this.#proven.promise;
    this.ended = this.#over.promise;
    const { identity, keys } = core;
    const { side, random, clock } = options;
    this.#handshake = new Handshake({ identity, keys, side, random, clock });
    this.#unlisten = core.engine.onCommitted((committed) => {
      for (const { state } of committed) this.#links.get(state.root)?.link.wake();
    });
    // Nobody need look at these for the session to end quietly.
    this.remote.catch(() => undefined);
  }

  begin(): void {
    const timer = this.#clock.setTimer(HANDSHAKE_MS, () => this.#end(storeError('replication_timeout')));
    this.remote.then(
      () => timer.cancel(),
      () => timer.cancel(),
    );
    void this.#carrier.send(this.#handshake.hello());
    this.#running = this.#read();
  }

  follow(root: string): Promise<void> {
    if (this.#isOver) return Promise.reject(storeError('replication_closed'));
    const opened = this.#open(root);
    if (opened === undefined) return Promise.reject(storeError('store_busy'));
    const { link } = opened;
    const isNew = !link.asked || link.denied !== undefined;
    link.asked = true;
    link.denied = undefined;
    const even = link.even();
    if (isNew && this.#remoteId !== undefined) void this.#ask(opened);
    return even;
  }

  status(root: string): LinkStatus | undefined {
    return this.#links.get(root)?.link.status;
  }

  async close(): Promise<void> {
    if (!this.#isOver) {
      this.#send({ type: 'goodbye' });
      this.#end(undefined);
    }
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #read(): Promise<void> {
    try {
      for await (const message of this.#carrier.messages) {
        if (this.#isOver) break;
        const frame = parseFrame(message);
        if (frame === null) throw storeError('replication_frame_invalid');
        if (frame.type === 'goodbye') break;
        if (this.#remoteId === undefined) this.#greet(frame);
        else await this.#take(frame);
      }
      this.#end(undefined);
    } catch (error) {
      this.#end(sessionFault(error));
    }
  }

  #greet(frame: Frame): void {
    if (frame.type === 'hello') this.#skewMs = frame.wall_ms - this.#clock.wallMs();
    const { send, proven } = this.#handshake.take(frame);
    if (send !== undefined) void this.#carrier.send(send);
    if (proven === undefined) return;
    if (this.#expect !== undefined && this.#expect !== proven) throw storeError('replication_peer_refused');
    if (Math.abs(this.#skewMs) > CLOCK_SKEW_SHOWN_MS)
      this.#core.report({ code: 'clock_skew', peer: proven, skewMs: this.#skewMs });
    this.#remoteId = proven;
    this.#proven.resolve(proven);
    for (const opened of this.#links.values()) if (opened.link.asked) void this.#ask(opened);
  }

  async #take(frame: Frame): Promise<void> {
    if (!('root' in frame)) throw storeError('replication_frame_invalid');
    const opened = this.#open(frame.root);
    if (opened === undefined) {
      if (frame.type === 'open') this.#send({ type: 'deny', root: frame.root, why: 'not_found' });
      return;
    }
    const { link } = opened;
    switch (frame.type) {
      case 'open':
        link.wanted = true;
        link.refused = false;
        break;
      case 'have':
        await this.#have(opened, frame);
        break;
      case 'commits':
        return await this.#apply(opened, frame.commits);
      case 'ack':
        link.ack(frame.version);
        break;
      case 'even':
        link.inEven = true;
        break;
      case 'deny':
        link.denied = frame.why;
        link.ack(link.theirs ?? {});
        break;
    }
    link.tell();
    link.wake();
  }

  async #have({ link, flow }: Opened, frame: Extract<Frame, { type: 'have' }>): Promise<void> {
    link.denied = undefined;
    const state = await this.#core.stateIfHere(link.root);
    link.theirs = await commonVersion(this.#core.engine, state, frame);
    // Once for each database: who says again and again that it holds more would keep local writes waiting for ever.
    if (link.tookBack || state === undefined) return;
    if (!link.asked && flow.offer(state).kind !== 'everything') return;
    link.tookBack = true;
    // It may have been given back while the versions were compared.
    const current = await this.#core.currentState(link.root);
    const release = takeBack(this.#core, current, frame.version, () => this.#holds.delete(release));
    this.#holds.add(release);
  }

  /** Commits are verified one by one, so they are taken from whoever was asked, and from whoever may read here. */
  async #apply({ link, flow }: Opened, commits: readonly Json[]): Promise<void> {
    const before = await this.#core.stateIfHere(link.root);
    const isTaken = link.asked || (before !== undefined && flow.offer(before).kind === 'everything');
    if (isTaken) {
      await this.#peer.apply(link.root, commits);
      link.sent(commits);
      link.inEven = false;
    }
    flow.acknowledge(await this.#core.stateIfHere(link.root));
    link.wake();
  }

  #open(root: string): Opened | undefined {
    const known = this.#links.get(root);
    if (known !== undefined || this.#links.size >= MAX_LINKS) return known;
    const link = new Link(root);
    const flow = new Outflow(link, {
      core: this.#core,
      remote: () => this.#remoteId,
      send: (frame) => this.#carrier.send(encodeFrame(frame)),
      isOver: () => this.#isOver,
      ended: this.ended,
      onTimeout: () => this.#end(storeError('replication_timeout')),
    });
    const opened = { link, flow };
    this.#links.set(root, opened);
    void flow.run().catch((error: unknown) => this.#end(sessionFault(error)));
    return opened;
  }

  async #ask({ link, flow }: Opened): Promise<void> {
    this.#send({ type: 'open', root: link.root });
    flow.tellHave(await this.#core.stateIfHere(link.root));
    link.wake();
  }

  #send(frame: Frame): void {
    void this.#carrier.send(encodeFrame(frame));
  }

  #end(error: FairleadError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unlisten();
    this.#carrier.close();
    for (const release of [...this.#holds]) release();
    const why = error ?? storeError('replication_closed');
    this.#proven.reject(why);
    this.#over.resolve(error);
    for (const { link } of this.#links.values()) {
      link.fail(why);
      link.wake();
    }
  }
}

function sessionFault(error: unknown): FairleadError {
  return error instanceof FairleadError ? error : storeError('replication_closed', error);
}
