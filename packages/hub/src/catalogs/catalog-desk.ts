import type { Json, Outcome } from '@fairlead/base';

/** Where somebody looks at what foreign tools of an extension have become, and approves them. */
export interface CatalogDesk {
  /** Whether the foreign tools of an extension are looked after here. */
  has(extension: string): boolean;
  /** What waits for an approval, and what is gone: `{name, tools: ToolDiff[]}`. */
  diff(extension: string, tool?: string): Outcome<Json>;
  /** Approves what was seen, by tool: `{name, approved}`. Refused where none of it waits any more. Rejects with a code of the store. */
  approve(extension: string, seen: ReadonlyMap<string, string | null>, by: string): Promise<Outcome<Json>>;
}
