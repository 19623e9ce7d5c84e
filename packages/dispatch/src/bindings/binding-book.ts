import type { JsonObject } from '@fairlead/base';
import type { Observed } from './observed.ts';

/** Where handles on observations stand. A handle carries no right. */
export interface BindingBook {
  /** A fresh handle. */
  bind(observed: Observed, inputSchema: JsonObject): Promise<string>;
  /** What was observed, or undefined for a handle that does not serve any more. */
  resolve(handle: string): Observed | undefined;
  /** The input schema of what was observed, null where it is not known any more. */
  inputSchema(handle: string): Promise<JsonObject | null>;
  /** Drops a handle whose observation no longer holds. */
  forget(handle: string): void;
}
