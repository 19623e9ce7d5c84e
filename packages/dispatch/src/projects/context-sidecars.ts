import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { namingScope } from '../invocation/denial.ts';
import { explain } from '../invocation/explain.ts';
import type { ToolRequest } from '../invocation/invoker.ts';
import type { RuntimeTool } from '../invocation/runtime-tool.ts';
import type { Invocation } from '../invocation.ts';
import type { InvocationError } from '../invocation-error.ts';
import type { Principal } from '../principal.ts';
import type { RunnerPort } from '../runner-port.ts';
import type { Scope } from '../scopes.ts';
import { readProjectCatalog } from './project-catalog.ts';
import { findProject } from './visible-projects.ts';

/** The one sidecar that there is: the catalog of a project. */
const CATALOG_CONTEXT = 'plugins.catalog';

const NEEDS: readonly Scope[] = ['project:read', 'plugin:inspect'];

/**
 * A tool that puts what the caller asked for in `context` beside its output. A sidecar that cannot be had says why in its
 * place and changes nothing about the call, which is over by then.
 */
export function withContext(tool: RuntimeTool, runners: RunnerPort): RuntimeTool {
  return {
    definition: tool.definition,
    route: tool.route,
    get scopes() {
      return tool.scopes;
    },
    invoke: (request) => {
      const { context = [] } = request;
      return context.length === 0 ? tool.invoke(request) : invokeWith(tool, runners, request, context);
    },
  };
}

async function invokeWith(
  tool: RuntimeTool,
  runners: RunnerPort,
  request: ToolRequest,
  context: readonly string[],
): Promise<Invocation> {
  const invocation = await tool.invoke(request);
  if (invocation.output === undefined) return invocation;
  return { ...invocation, context: await sidecars(runners, request, context, invocation) };
}

async function sidecars(
  runners: RunnerPort,
  { params, principal }: ToolRequest,
  names: readonly string[],
  { call }: Invocation,
): Promise<JsonObject> {
  const made = [...new Set(names)].map(
    async (name) => [name, await sidecar(runners, principal, name, params, call)] as const,
  );
  return Object.fromEntries(await Promise.all(made));
}

async function sidecar(
  runners: RunnerPort,
  principal: Principal,
  asked: string,
  params: Json,
  call: string | undefined,
): Promise<JsonObject> {
  const [name, named] = split(asked);
  if (name !== CATALOG_CONTEXT) return refused(fault('context_unknown'));
  const missing = NEEDS.find((scope) => !principal.scopes.includes(scope));
  if (missing !== undefined) return refused(namingScope(fault('insufficient_scope'), missing));
  const project = named ?? (isJsonObject(params) ? params['project'] : undefined);
  if (typeof project !== 'string') return refused(fault('context_project_missing'));
  const found = findProject(runners, principal, project);
  if (found === undefined) return refused(fault('project_unavailable'));
  const reading = await readProjectCatalog(runners, found, call);
  return reading.ok ? { project: found.id, ...reading.catalog } : refused(reading.error);
}

/** `NAME`, or `NAME:PROJECT`. */
function split(asked: string): readonly [string, string | undefined] {
  const colon = asked.indexOf(':');
  return colon < 0 ? [asked, undefined] : [asked.slice(0, colon), asked.slice(colon + 1)];
}

function fault(code: string): InvocationError {
  return explain(code, { certainty: 'not_started' });
}

function refused(error: InvocationError): JsonObject {
  return { error };
}
