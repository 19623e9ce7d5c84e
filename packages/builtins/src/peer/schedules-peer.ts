import type { Json, JsonObject } from '@fairlead/extension';

/** A schedule as the host lists it. Moments are milliseconds since 1970. */
export interface PeerSchedule {
  readonly id: string;
  /** Its row, read; absent where `problem` says that it cannot be. */
  readonly schedule?: {
    readonly trigger:
      | { readonly kind: 'cron'; readonly cron: string; readonly zone: string }
      | { readonly kind: 'every'; readonly secs: number }
      | { readonly kind: 'at'; readonly at: number };
    readonly task: string;
    readonly target: { readonly kind: 'fresh' } | { readonly kind: 'pinned'; readonly session: string };
    readonly enabled: boolean;
    readonly maxFires?: number;
    readonly expiresAt?: number;
  };
  readonly problem?: string;
  readonly next: number | null;
  readonly fires: number;
  readonly failures: number;
  readonly lastCode: string | null;
}

/** One due firing and how it went. */
export interface PeerSlot {
  readonly due: number;
  readonly state: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly session: string | null;
}

/** The members of a schedule's row that a change names; null takes a bound away. */
export interface ScheduleWish {
  readonly trigger?: JsonObject;
  readonly task?: string;
  readonly target?: JsonObject;
  readonly enabled?: boolean;
  readonly max_fires?: number | null;
  readonly expires_at?: number | null;
}

/** The schedules of agents, by the agent's id. What is refused rejects with a code and a message that is safe to show. */
export interface SchedulesPeer {
  list(agent: string): Promise<readonly PeerSchedule[]>;
  add(agent: string, id: string, wish: ScheduleWish): Promise<PeerSchedule>;
  modify(agent: string, id: string, wish: ScheduleWish): Promise<PeerSchedule>;
  remove(agent: string, id: string): Promise<void>;
  /** Newest first. */
  history(agent: string, id: string): Promise<readonly PeerSlot[]>;
  /** Brings the task of a schedule to its session; `payload` as the routine was given it. */
  fire(payload: Json): Promise<void>;
}
