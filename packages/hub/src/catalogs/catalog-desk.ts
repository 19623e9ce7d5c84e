import type { ToolDiff } from './catalog-diff.ts';

/** Where somebody looks at what an extension's foreign tools have become, and approves it. */
export interface CatalogDesk {
  /** What waits, and what is gone; nothing where everything holds. */
  diff(): readonly ToolDiff[];
  /** Approves exactly the observations that were seen, by tool. Answers the tools that were. Rejects with a code of the store. */
  approve(seen: ReadonlyMap<string, string | null>, by: string): Promise<readonly string[]>;
}

/** The desks of a host, by the extension. */
export interface CatalogDesks {
  names(): readonly string[];
  get(extension: string): CatalogDesk | undefined;
}
