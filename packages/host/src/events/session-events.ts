import type { Off, Peer, Write } from '@fairlead/store';
import { entriesOfWrite } from '../entries/entries-of-write.ts';
import { eventLimits } from '../limits.ts';
import type { EventSink, SessionEvent, StateEvent, Subscription } from './session-event.ts';
import { StepSoFar } from './step-so-far.ts';
import { Subscriber } from './subscriber.ts';

type Room = {
  readonly subscribers: Set<Subscriber>;
  readonly step: StepSoFar;
  /** By turn: its own, and those of the sessions that were made for it. */
  readonly states: Map<string, StateEvent>;
};

export interface SubscribeOptions {
  /** The number of the last entry that was heard: what came since is sent first, or `reset` where that is more than 1,000 arrivals. */
  readonly after?: number;
}

/** What happens in sessions, told to who listens. Open it before anything runs; close it before the peer. */
export class SessionEvents {
  readonly #peer: Peer;
  readonly #rooms = new Map<string, Room>();
  /** From a session to the one that it was made for. */
  readonly #roots = new Map<string, string>();
  #off: Off | undefined;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Begins to hear of entries. Rejects with a code of the store. */
  async open(): Promise<void> {
    this.#off = await this.#peer.onWrite('session_events', (write) => this.#write(write));
  }

  /** Ends every subscription. */
  async close(): Promise<void> {
    for (const { subscribers } of this.#rooms.values()) for (const each of subscribers) each.close();
    await this.#off?.();
  }

  /** Resolves when everything that was written before was told. */
  async caughtUp(): Promise<void> {
    await this.#off?.caughtUp();
  }

  /** Tells it now. Never throws: a sink that does is one that left. */
  emit(session: string, event: SessionEvent): void {
    this.#tell(session, event, true);
    if (event.kind !== 'state' && event.kind !== 'approval') return;
    const root = this.#roots.get(session);
    if (root !== undefined) this.#tell(root, event, false);
  }

  /** A turn is over: nothing of it is told to who comes now. */
  turnOver(session: string, turn: string): void {
    for (const place of [session, this.#roots.get(session)]) {
      const room = place === undefined ? undefined : this.#rooms.get(place);
      if (place === undefined || room === undefined) continue;
      room.states.delete(turn);
      room.step.over(turn);
      this.#sweep(place, room);
    }
  }

  /** What a turn of a session said last that it does; undefined where it said nothing yet, or is over. */
  state(session: string, turn: string): StateEvent | undefined {
    return this.#rooms.get(session)?.states.get(turn);
  }

  /** True where somebody listens to the session, or to the one that it was made for. */
  attended(session: string): boolean {
    const root = this.#roots.get(session);
    return this.#heard(session) || (root !== undefined && this.#heard(root));
  }

  /** Until `Off` states and approvals of `child` are told in `root` too. */
  route(child: string, root: string): () => void {
    this.#roots.set(child, root);
    return () => void this.#roots.delete(child);
  }

  /**
   * From now on `sink` hears of a session: first what it missed `after` a number, then what its running step said so far and what its turns
   * do, then everything. Rejects with a code of the store.
   */
  async subscribe(session: string, options: SubscribeOptions, sink: EventSink): Promise<Subscription> {
    const last = this.#peer.lastArrival;
    const { after = last } = options;
    const room = this.#room(session);
    const subscriber = new Subscriber(sink, () => this.#now(room), {
      heard: after,
      closed: () => {
        room.subscribers.delete(subscriber);
        this.#sweep(session, room);
      },
    });
    room.subscribers.add(subscriber);
    try {
      // A number that nothing has here is of another time, such as before a restore.
      if (after > last || last - after > eventLimits.gap) subscriber.missed(last);
      else await this.#catchUp(session, subscriber, { after, last });
      subscriber.live();
    } catch (error) {
      subscriber.close();
      throw error;
    }
    return subscriber;
  }

  async #catchUp(
    session: string,
    subscriber: Subscriber,
    { after, last }: { readonly after: number; readonly last: number },
  ): Promise<void> {
    for (let at = after; at < last && !subscriber.isClosed; ) {
      const writes = await this.#peer.arrivals(at);
      for (const write of writes)
        if (write.database === session) subscriber.write(write.cursor, entriesIn(write));
      const to = writes.at(-1)?.cursor;
      if (to === undefined) return;
      at = to;
    }
  }

  #write(write: Write): void {
    if (write.kind !== 'session') return;
    const room = this.#rooms.get(write.database);
    if (room === undefined || room.subscribers.size === 0) return;
    const entries = entriesIn(write);
    for (const subscriber of room.subscribers) subscriber.arrived(write.cursor, entries);
  }

  #tell(session: string, event: SessionEvent, own: boolean): void {
    const room = this.#room(session);
    if (own) room.step.take(event);
    if (event.kind === 'state') room.states.set(event.turn, event);
    for (const subscriber of room.subscribers) subscriber.event(event);
    this.#sweep(session, room);
  }

  #now(room: Room): readonly SessionEvent[] {
    return [...room.states.values(), ...room.step.events()];
  }

  #heard(session: string): boolean {
    return (this.#rooms.get(session)?.subscribers.size ?? 0) > 0;
  }

  #room(session: string): Room {
    const known = this.#rooms.get(session);
    if (known !== undefined) return known;
    const room = { subscribers: new Set<Subscriber>(), step: new StepSoFar(), states: new Map() };
    this.#rooms.set(session, room);
    return room;
  }

  #sweep(session: string, { subscribers, states, step }: Room): void {
    if (subscribers.size === 0 && states.size === 0 && step.isEmpty) this.#rooms.delete(session);
  }
}

/** What was undone is read again where it matters; the stream only adds. */
function entriesIn(write: Write) {
  return write.origin === 'retracted' ? [] : entriesOfWrite(write);
}
