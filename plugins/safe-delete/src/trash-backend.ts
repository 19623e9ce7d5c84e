import type { Target } from './target.ts';

export type BackendName = 'freedesktop' | 'gio' | 'trash-put' | 'foundation' | 'powershell';

/**
 * What a back end says of itself. None of it is believed without a look at the target's place.
 *
 * - `done`: it moved the target.
 * - `failed`: it tried, and says that it could not.
 * - `declined`: it ran, and left the target because no trash would have kept it.
 * - `unavailable`: it is not there, or cannot serve this target, and nothing ran: the next one may try.
 * - `unsure`: it did something else than was asked.
 */
export type BackendReport = 'done' | 'failed' | 'declined' | 'unavailable' | 'unsure';

/** One way to the trash of a machine. */
export interface TrashBackend {
  readonly name: BackendName;
  /** Moves the target. Once `signal` is aborted, nothing more is begun. A rejection counts as `failed`. */
  run(target: Target, signal: AbortSignal): Promise<BackendReport>;
}
