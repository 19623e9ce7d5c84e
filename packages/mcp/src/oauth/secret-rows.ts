import type { Store } from '@fairlead/store';
import type { SecretBox } from './secret-box.ts';

/** A text and how often it was written. */
export interface KeptSecret {
  readonly version: number;
  /** Undefined where it cannot be opened here. */
  readonly text: string | undefined;
}

/** The rows `secrets`: written by compare-and-swap, so that of two writers one learns that it came second. */
export class SecretRows {
  readonly #store: Store;
  readonly #box: SecretBox;

  constructor(store: Store, box: SecretBox) {
    this.#store = store;
    this.#box = box;
  }

  /** Version 0 where there is none. Rejects with a code of the store. */
  async read(name: string): Promise<KeptSecret> {
    const [row] = await this.#store.read<{ readonly version: number; readonly sealed: Uint8Array }>(
      'SELECT version, sealed FROM secrets WHERE name = ? LIMIT 1',
      [name],
    );
    if (row === undefined) return { version: 0, text: undefined };
    return { version: row.version, text: this.#box.open(name, row.sealed) };
  }

  /** Whether it was still at `version`, and so was written. Rejects with a code of the store. */
  async swap(name: string, version: number, text: string): Promise<boolean> {
    const sealed = this.#box.seal(name, text);
    const statement =
      version === 0
        ? {
            sql: 'INSERT INTO secrets (name, version, sealed) VALUES (?, 1, ?) ON CONFLICT (name) DO NOTHING',
            parameters: [name, sealed],
          }
        : {
            sql: 'UPDATE secrets SET version = version + 1, sealed = ? WHERE name = ? AND version = ?',
            parameters: [sealed, name, version],
          };
    const { changes } = await this.#store.write([statement]);
    return changes[0] === 1;
  }
}
