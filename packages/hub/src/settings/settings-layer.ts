import { isJsonObject, type JsonObject } from '@fairlead/base';
import type { Database } from '@fairlead/store';
import { settingsLimits } from '../limits.ts';

/** The document that holds settings in a session or an agent, at path `[extension, key]`. */
export const SETTINGS_DOC = 'extension_settings';

/** Own values of one database: extension → key → value. Foreign input: what stands under a name may be anything. */
export type LayerValues = JsonObject;

interface Layer {
  /** The change counter that was read before the document was. */
  readonly changes: number;
  values: LayerValues | Promise<LayerValues>;
}

/** The settings documents of databases in use, read again when their change counter has moved. */
export class SettingsLayers {
  /** By root id, the one used longest ago first. */
  readonly #layers = new Map<string, Layer>();

  /** At once where nothing has moved since it was read. One read at a time for each state of a document. */
  of(database: Database): LayerValues | Promise<LayerValues> {
    const { root } = database;
    const changes = database.changes(SETTINGS_DOC);
    const known = this.#layers.get(root);
    if (known?.changes === changes) return known.values;
    const layer: Layer = { changes, values: {} };
    const reading = read(database);
    layer.values = reading.then(
      (values) => {
        layer.values = values;
        return values;
      },
      (error: unknown) => {
        // What could not be read is read again by the next one who asks.
        if (this.#layers.get(root) === layer) this.#layers.delete(root);
        throw error;
      },
    );
    this.#keep(root, layer);
    return layer.values;
  }

  /** Forgets a database that is not used any more. */
  forget(root: string): void {
    this.#layers.delete(root);
  }

  #keep(root: string, layer: Layer): void {
    this.#layers.delete(root);
    this.#layers.set(root, layer);
    if (this.#layers.size <= settingsLimits.maxLayers) return;
    const [oldest] = this.#layers.keys();
    if (oldest !== undefined) this.#layers.delete(oldest);
  }
}

async function read(database: Database): Promise<LayerValues> {
  return (await database.doc(SETTINGS_DOC).get()) as LayerValues;
}

/** What a layer says about one extension; undefined where something stands there that is no object. */
export function ownValues(layer: LayerValues, extension: string): JsonObject | undefined {
  if (!Object.hasOwn(layer, extension)) return {};
  const values = layer[extension];
  return isJsonObject(values) ? values : undefined;
}
