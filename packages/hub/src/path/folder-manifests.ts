import { type Clock, FairleadError } from '@fairlead/base';
import { type Manifest, validateManifest } from '@fairlead/extension/runtime';
import type { Store } from '@fairlead/store';
import type { Fault } from '../failures/fault.ts';
import { pathLimits } from '../limits.ts';
import type { PathSource } from './path-source.ts';

interface Row {
  readonly name: string;
  readonly digest: string;
  readonly manifest: string;
  readonly at: number;
}

/** What stands for a folder that does not load: it never starts, and gives its fault as the reason. */
export interface StandIn extends PathSource {
  /** The folder as it was named when it was kept. */
  readonly standsFor: string;
  /** When it was kept, in ms of the wall clock. */
  readonly keptMs: number;
}

const OF = 'SELECT name, digest, manifest, at FROM folder_manifests WHERE folder = ? LIMIT 1';
const KEEP = `INSERT INTO folder_manifests (folder, name, digest, manifest, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (folder) DO UPDATE SET name = excluded.name, digest = excluded.digest, manifest = excluded.manifest, at = excluded.at`;
const FORGET_OLDEST = `DELETE FROM folder_manifests WHERE folder NOT IN
  (SELECT folder FROM folder_manifests ORDER BY at DESC, folder LIMIT ?)`;
const RENEW = 'UPDATE folder_manifests SET digest = ?, manifest = ?, at = ? WHERE name = ?';

/**
 * What the extensions of folders said of themselves when they were loaded last, kept by this peer for itself: without it nobody would
 * know that one which does not load any more is a gate. Writing rejects with a code of the store.
 */
export class FolderManifests {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * What stands for a folder that does not load. Undefined where it was never loaded, or what it said then is no manifest any more.
   * Rejects with a code of the store.
   *
   * @param folder As it was named when it was kept.
   */
  async standIn(folder: string, fault: Fault): Promise<StandIn | undefined> {
    const [row] = await this.#store.read<Row>(OF, [folder]);
    if (row === undefined) return undefined;
    const { name, digest, at: keptMs } = row;
    const manifest = readManifest(row.manifest);
    if (manifest === undefined || manifest.name !== name) return undefined;
    return {
      ref: Object.freeze({ kind: 'path', name, digest }),
      tier: 'worker',
      builtin: false,
      folder,
      standsFor: folder,
      keptMs,
      manifest,
      start: () => Promise.reject(new FairleadError(fault.code, fault.reason)),
      output: () => '',
      [Symbol.asyncDispose]: async () => {},
    };
  }

  /** It was loaded from this folder. Of 256 folders at most; the ones that were loaded longest ago give way. */
  async keep(folder: string, { ref, manifest }: Pick<PathSource, 'ref' | 'manifest'>): Promise<void> {
    const parameters = [folder, ref.name, ref.digest, JSON.stringify(manifest), this.#nowMs()];
    await this.#store.write(
      [
        { sql: KEEP, parameters },
        { sql: FORGET_OLDEST, parameters: [pathLimits.keptManifests] },
      ],
      'normal',
    );
  }

  /** Other code of it was loaded, from wherever it came. */
  async renew({ ref, manifest }: Pick<PathSource, 'ref' | 'manifest'>): Promise<void> {
    const parameters = [ref.digest, JSON.stringify(manifest), this.#nowMs(), ref.name];
    await this.#store.write([{ sql: RENEW, parameters }], 'normal');
  }

  #nowMs(): number {
    return Math.round(this.#clock.wallMs());
  }
}

function readManifest(text: string): Manifest | undefined {
  try {
    const reading = validateManifest(JSON.parse(text));
    return reading.ok ? reading.manifest : undefined;
  } catch {
    return undefined;
  }
}
