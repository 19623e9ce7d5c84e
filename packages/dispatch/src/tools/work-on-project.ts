import { deepFreeze, type Json } from '@fairlead/base';
import { READS_ONLY } from '../invocation/annotations.ts';
import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Invoker } from '../invocation/invoker.ts';
import { type ParamsProblem, readParams } from '../invocation/params.ts';
import type { RuntimeTool, ToolDefinition } from '../invocation/runtime-tool.ts';
import type { TaskReading, ToolTask } from '../invocation/tool-task.ts';
import { PROJECT_LIST_MAX_BYTES } from '../limits.ts';
import type { Principal } from '../principal.ts';
import { beginningWithin } from '../projects/beginning-within.ts';
import { readProjectCatalog } from '../projects/project-catalog.ts';
import { isProjectId, PROJECT_ID_MAX_BYTES } from '../projects/project-id.ts';
import { findProject, projectRow, visibleProjects } from '../projects/visible-projects.ts';
import type { RunnerPort } from '../runner-port.ts';

const NAME = 'work_on_project';
const USAGE = 'work_on_project takes nothing, or project: an id that it lists.';

const definition: ToolDefinition = Object.freeze({
  name: NAME,
  description: [
    'Begin here with work in a project: a folder on the machine of a connected Runner.',
    'Without arguments: the projects that there are. With project: its name, kind and Runner, and the tools of the plugins that run in its folder.',
    'The tools are for choosing: plugin_tool describes one, with the plugin and tool of an entry, and then calls it. Where truncated is true, plugin_tool list shows the others.',
    'Nothing is started, no plugin is asked anything, and no path is told.',
  ].join('\n'),
  inputSchema: deepFreeze({
    type: 'object',
    properties: {
      project: {
        type: 'string',
        minLength: 1,
        maxLength: PROJECT_ID_MAX_BYTES,
        description: 'Id of a project, as this tool lists it: agent:RUNNER:PROJECT.',
      },
    },
    additionalProperties: false,
  }),
  annotations: READS_ONLY,
});

/** Lists projects, and shows one with what can be chosen from there (docs/reference/runtime-tools.md). */
export function workOnProject(invoker: Invoker, runners: RunnerPort): RuntimeTool {
  return {
    definition,
    route: 'direct',
    scopes: Object.freeze(['project:read', 'plugin:inspect'] as const),
    invoke: (request) => invoker.invoke(request, (params) => read(params, runners)),
  };
}

function read(given: Json, runners: RunnerPort): TaskReading {
  const reading = readParams(given, { required: [], optional: ['project'] });
  if (!reading.ok) return refused(reading.detail);
  const { project } = reading.params;
  if (project === undefined)
    return task('The projects on connected Runners.', async (principal) => list(runners, principal));
  if (!isProjectId(project)) return refused({ member: 'project', problem: 'invalid' });
  return task('The project, and the tools that can be chosen from there.', (principal, call) =>
    show(runners, principal, project, call),
  );
}

function task(summary: string, run: ToolTask['run']): TaskReading {
  const subject = { bindingPresent: false };
  return { ok: true, task: { action: NAME, scope: 'project:read', subject, summary, run } };
}

function list(runners: RunnerPort, principal: Principal): Ending {
  const rows = visibleProjects(runners, principal).map(projectRow);
  const projects = beginningWithin(rows, PROJECT_LIST_MAX_BYTES);
  return done({ projects, totalCount: rows.length, truncated: projects.length < rows.length });
}

async function show(runners: RunnerPort, principal: Principal, id: string, call: string): Promise<Ending> {
  const found = findProject(runners, principal, id);
  if (found === undefined) return notStarted('project_unavailable');
  const row = projectRow(found);
  if (!principal.scopes.includes('plugin:inspect')) return done(row);
  const reading = await readProjectCatalog(runners, found, call);
  return done(reading.ok ? { ...row, catalog: reading.catalog } : { ...row, catalogError: reading.error });
}

function refused(detail: ParamsProblem): TaskReading {
  return { ok: false, fault: { code: 'invalid_arguments', action: NAME, detail, usage: USAGE } };
}
