import { createExecutor, type ExecutorOptions } from '../executor.ts';
import { Invoker } from '../invocation/invoker.ts';
import { callRuntimeTool } from './call-runtime-tool.ts';
import { pluginTool } from './plugin-tool.ts';
import { readToolManifest } from './read-tool-manifest.ts';
import type { RuntimeTool } from './runtime-tool.ts';

/** What the tools of a gateway work with; all of it is the caller's to close. */
export type ToolPorts = ExecutorOptions;

/**
 * Every static tool of a gateway, in the order in which they are listed: it is the same for every caller and for the whole
 * life of the process. Those with the route `gateway` come last and are in no list.
 */
export function createTools(ports: ToolPorts): readonly RuntimeTool[] {
  const invoker = new Invoker(ports);
  const all = () => tools;
  const tools: readonly RuntimeTool[] = Object.freeze([
    pluginTool(createExecutor(ports)),
    readToolManifest(invoker, all),
    callRuntimeTool(invoker, all),
  ]);
  return tools;
}
