import { createExecutor, type ExecutorOptions } from '../executor.ts';
import { Invoker } from '../invocation/invoker.ts';
import type { RuntimeTool } from '../invocation/runtime-tool.ts';
import { withContext } from '../projects/context-sidecars.ts';
import type { SessionDesk } from '../sessions/session-desk.ts';
import type { SessionTools } from '../sessions/session-tools.ts';
import { callRuntimeTool } from './call-runtime-tool.ts';
import { checkRunnerConfig } from './check-runner-config.ts';
import { pluginTool } from './plugin-tool.ts';
import { readToolManifest } from './read-tool-manifest.ts';
import { reloadRunnerConfig } from './reload-runner-config.ts';
import { sessionDeskTools } from './session-desk-tools.ts';
import { workOnProject } from './work-on-project.ts';

/** What the tools of a gateway work with; all of it is the caller's to close. */
export type ToolPorts = ExecutorOptions & {
  /** The live sets of sessions. Absent: no session has a tool. */
  readonly sessionTools?: SessionTools;
  /** Absent: the tools about sessions themselves are not there. */
  readonly sessionDesk?: SessionDesk;
};

/**
 * Every static tool of a gateway, in the order in which they are listed: it is the same for every caller and for the whole
 * life of the process. Those with the route `gateway` come last and are in no list.
 */
export function createTools(ports: ToolPorts): readonly RuntimeTool[] {
  const invoker = new Invoker(ports);
  const all = () => tools;
  const { runners, sessionTools, sessionDesk } = ports;
  const direct = [
    pluginTool(createExecutor(ports)),
    workOnProject(invoker, runners),
    readToolManifest(invoker, all, sessionTools),
    callRuntimeTool(invoker, all, sessionTools),
    ...(sessionDesk === undefined ? [] : sessionDeskTools(invoker, sessionDesk)),
  ];
  const tools: readonly RuntimeTool[] = Object.freeze([
    ...direct.map((tool) => withContext(tool, runners)),
    checkRunnerConfig(invoker, runners),
    reloadRunnerConfig(invoker, runners),
  ]);
  return tools;
}
