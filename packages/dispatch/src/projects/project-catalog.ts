import type { JsonObject } from '@fairlead/base';
import { linkLimits, type ProjectCatalog } from '@fairlead/protocol';
import { explain } from '../invocation/explain.ts';
import type { InvocationError } from '../invocation-error.ts';
import { PROJECT_CATALOG_MAX_BYTES } from '../limits.ts';
import { readFrom } from '../runner-answers/runner-access.ts';
import type { RunnerPort } from '../runner-port.ts';
import { beginningWithin } from './beginning-within.ts';
import type { FoundProject } from './visible-projects.ts';

/** The catalog of a project for a model, or why there is none now. */
export type CatalogReading =
  | { readonly ok: true; readonly catalog: JsonObject }
  | { readonly ok: false; readonly error: InvocationError };

/** Asks the project's Runner what can be chosen from there. No plugin is asked anything. */
export async function readProjectCatalog(
  port: RunnerPort,
  { runner, project }: FoundProject,
  call: string | undefined,
): Promise<CatalogReading> {
  const options = { budgetMs: linkLimits.readBudgetMs, ...(call === undefined ? {} : { call }) };
  const answer = await readFrom(port, runner, { kind: 'project_catalog', project: project.id }, options);
  if (answer.ok) return { ok: true, catalog: forModel(answer.payload) };
  return { ok: false, error: explain(answer.code, { certainty: 'not_started' }) };
}

/** As many entries as a model has room for; count and revision stay those of the whole. */
function forModel({ catalog_revision, total_count, entries }: ProjectCatalog): JsonObject {
  const whole = { catalog_revision, total_count, truncated: false, entries: [] };
  const room = PROJECT_CATALOG_MAX_BYTES - Buffer.byteLength(JSON.stringify(whole));
  const shown = beginningWithin(entries, room);
  return { catalog_revision, total_count, truncated: shown.length < total_count, entries: shown };
}
