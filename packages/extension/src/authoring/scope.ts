/// <reference lib="esnext.disposable" preserve="true" />
import type { Log, SessionView } from './context.ts';

/** Where an instance lives: once for the host, once for an agent, once for a session. */
export type ScopeKind = 'global' | 'agent' | 'session';

/** What can be listened to: an `EventTarget`, or anything with `on` and `off`. */
export type Listenable<E extends string> =
  | Pick<EventTarget, 'addEventListener' | 'removeEventListener'>
  | { on(event: E, listener: Listener): unknown; off(event: E, listener: Listener): unknown };

// A method's parameters compare both ways, so a listener may say what it expects.
type Listener = { of(...values: unknown[]): unknown }['of'];

/**
 * What `open` is handed. It lives as long as the instance, and everything opened through it ends with it, in reverse order.
 * 1,024 timers, listeners and resources at most.
 */
export interface Scope<S> {
  readonly kind: ScopeKind;
  /** The root id of the agent's or session's database; absent at global scope. */
  readonly key?: string;
  /** The merge at the moment of opening. A call has its own. */
  readonly settings: S;
  /** Aborts when the instance ends; when its extension is reloaded or unloaded at once, while calls of it may still run. */
  readonly signal: AbortSignal;
  readonly log: Log;
  now(): number;
  /** Runs `run` each `ms` milliseconds (10 at least), never twice at once. What it throws is logged and ends nothing. */
  every(ms: number, run: (signal: AbortSignal) => unknown): void;
  /** Runs `run` once, `ms` milliseconds from now. */
  after(ms: number, run: (signal: AbortSignal) => unknown): void;
  /** Hands a resource over: it is disposed of when the instance ends. Returns it. */
  own<T extends Disposable | AsyncDisposable>(resource: T): T;
  listen<E extends string>(target: Listenable<E>, event: E, run: Listener): void;
  /** Needs `access: ['session_write']`: how a messenger delivers what comes in. */
  readonly sessions: { open(id: string): Promise<SessionView> };
  /** Says that what `moreTools` gives has changed. */
  changed(): void;
}
