import { canonicalJson, type Json, type JsonObject, sha256Base64url } from '@fairlead/base';
import {
  CATALOG_REVISION_PREFIX,
  type ProjectCatalog,
  type ProjectCatalogEntry,
  projectCatalogLimits,
  TOOL_HINTS,
  type ToolHints,
} from '@fairlead/protocol';
import type { ProviderInstance } from '../provider/provider-instance.ts';

/**
 * The catalog of one project: the tools of the instances that run in its folder. Reads memory only. `root` is the project's
 * canonical folder; null, where it has none, is that of no instance.
 */
export function projectCatalog(
  project: { readonly id: string; readonly root: string | null },
  ready: readonly ProviderInstance[],
): ProjectCatalog {
  const instances = ready
    .filter(({ canonicalCwd }) => canonicalCwd !== null && canonicalCwd === project.root)
    .toSorted((left, right) => (left.config.id < right.config.id ? -1 : 1));
  const entries = instances.flatMap(entriesOf);
  return {
    kind: 'project_catalog',
    project: project.id,
    catalog_revision: revisionOf(project.id, instances),
    total_count: entries.length,
    entries: withinBytes(entries, projectCatalogLimits.linkMaxBytes),
  };
}

/** An instance's catalog is frozen, so the ids of the instances stand for everything in it. */
function revisionOf(project: string, instances: readonly ProviderInstance[]): string {
  const content = canonicalJson([project, ...instances.map(({ id }) => id)]);
  return `${CATALOG_REVISION_PREFIX}${sha256Base64url(`fairlead project catalog v1\n${content}`)}`;
}

function entriesOf({ config, catalog }: ProviderInstance): ProjectCatalogEntry[] {
  return [...catalog.tools.values()]
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name: tool, title, definition }) => {
      const { description } = definition;
      return {
        plugin: config.id,
        name: config.name,
        tool,
        ...(title === undefined ? {} : { title }),
        ...(typeof description === 'string' ? { description: beginning(description) } : {}),
        annotations: hintsOf(definition['annotations']),
      };
    });
}

const encoder = new TextEncoder();

/** As many whole characters as have room. */
function beginning(text: string): string {
  const room = new Uint8Array(projectCatalogLimits.descriptionMaxBytes);
  return text.slice(0, encoder.encodeInto(text, room).read);
}

function hintsOf(annotations: Json | undefined): ToolHints {
  const given = (annotations ?? {}) as JsonObject;
  return Object.fromEntries(
    TOOL_HINTS.filter((hint) => Object.hasOwn(given, hint) && typeof given[hint] === 'boolean').map(
      (hint) => [hint, given[hint]],
    ),
  );
}

function withinBytes(entries: readonly ProjectCatalogEntry[], maxBytes: number): ProjectCatalogEntry[] {
  // The brackets of the list; each entry brings its comma.
  let bytes = 2;
  const end = entries.findIndex((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return bytes > maxBytes;
  });
  return end < 0 ? [...entries] : entries.slice(0, end);
}
