import type { LiveSnapshot } from './live-snapshot.ts';

/** What a live set was built from: it holds while none of it has moved. */
export interface SetVersion {
  readonly generation: number;
  readonly evictions: number;
  readonly session: number;
  /** 0 without an agent. */
  readonly agent: number;
}

/** A live set that is kept for the next turn. */
export interface CachedSet {
  readonly snapshot: LiveSnapshot;
  readonly version: SetVersion;
  /** The agent's name, which calls are told. */
  readonly agentName: string | undefined;
  /** From then on something that failed is due to be tried again; monotonic. */
  readonly retryMs: number | undefined;
}
