import { isJsonObject } from '../json/json.ts';

/** What a worker is started with. */
export interface WorkOrder {
  readonly fairlead: 'extension';
  /** The URL of the module whose default export is the extension. */
  readonly module: string;
  /** The URL of the extension's folder, with a slash at its end: places in its files are told relative to it. */
  readonly folder: string;
  /** The URL of this package's folder of modules: inside a worker `@fairlead/extension` is the host's own copy. */
  readonly root: string;
  /** `.ts` where the host runs from sources. */
  readonly suffix: '.js' | '.ts';
  /** Name what was left open when the worker is told to stop. */
  readonly watch: boolean;
}

export function isWorkOrder(value: unknown): value is WorkOrder {
  return isJsonObject(value) && value['fairlead'] === 'extension' && typeof value['module'] === 'string';
}
