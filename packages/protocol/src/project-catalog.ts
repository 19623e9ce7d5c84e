import { z } from 'zod';
import { projectCatalogLimits } from './limits.ts';
import { isLinkName, isProviderId, isProviderName, isText, isToolName, isToolTitle } from './names.ts';

/** What a tool says of itself, of all that a plugin may write into its annotations. Its own word, not checked. */
export type ToolHints = {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};

/** The hints that are shown, in the order in which they are. */
export const TOOL_HINTS = Object.freeze([
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
] as const);

/** One tool of a project: enough to choose it. To call it, it is described. */
export type ProjectCatalogEntry = {
  readonly plugin: string;
  /** The plugin's display name. */
  readonly name: string;
  readonly tool: string;
  readonly title?: string;
  /** At most 512 bytes of it. */
  readonly description?: string;
  readonly annotations: ToolHints;
};

/**
 * The tools of one project: those of every ready provider that runs in the project's own folder. Revision and count are
 * those of the whole catalog, though `entries` may be its beginning only.
 */
export type ProjectCatalog = {
  readonly kind: 'project_catalog';
  readonly project: string;
  /** `wc_plugcat_` and 43 base64url characters: another one whenever an instance of it was replaced or retired. */
  readonly catalog_revision: string;
  readonly total_count: number;
  /** By plugin, then by tool. */
  readonly entries: readonly ProjectCatalogEntry[];
};

/** What every catalog revision begins with. */
export const CATALOG_REVISION_PREFIX = 'wc_plugcat_';

const REVISION = /^wc_plugcat_[A-Za-z0-9_-]{43}$/;

/** True where `left` stands before `right` in a catalog. */
function precedes(left: ProjectCatalogEntry, right: ProjectCatalogEntry): boolean {
  return left.plugin < right.plugin || (left.plugin === right.plugin && left.tool < right.tool);
}

const hint = z.boolean().optional();

const entry = z.strictObject({
  plugin: z.custom<string>(isProviderId),
  name: z.custom<string>(isProviderName),
  tool: z.custom<string>(isToolName),
  title: z.custom<string>(isToolTitle).optional(),
  description: z
    .custom<string>((value) => isText(value, 0, projectCatalogLimits.descriptionMaxBytes))
    .optional(),
  annotations: z.strictObject({
    readOnlyHint: hint,
    destructiveHint: hint,
    idempotentHint: hint,
    openWorldHint: hint,
  }),
});

/** The payload of `project_catalog` as it stands on the link. */
export const projectCatalogPayload = z
  .strictObject({
    kind: z.literal('project_catalog'),
    project: z.custom<string>(isLinkName),
    catalog_revision: z.string().regex(REVISION),
    total_count: z.int().min(0).max(projectCatalogLimits.maxEntries),
    entries: z.array(entry).max(projectCatalogLimits.maxEntries),
  })
  .refine(({ entries, total_count }) => {
    const isSorted = entries.every((each, index) => {
      const before = entries[index - 1] as ProjectCatalogEntry | undefined;
      return before === undefined || precedes(before, each as ProjectCatalogEntry);
    });
    return isSorted && entries.length <= total_count;
  });
