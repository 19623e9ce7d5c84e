import type { JsonObject } from '@fairlead/base';
import type { Invocation } from '../invocation.ts';
import type { Scope } from '../scopes.ts';
import type { ToolRequest } from './invoker.ts';

/** `direct`: called by its own name. `gateway`: only through `call_runtime_tool`, and in no list of tools. */
export type ToolRoute = 'direct' | 'gateway';

/** A tool as every caller sees it, whatever it may do and whichever Runners are connected. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Where the tool can do several things, the worst of them. */
  readonly annotations: JsonObject;
};

/** One static tool of the gateway. What it does with a request follows the one order of `Invoker`. */
export type RuntimeTool = {
  readonly definition: ToolDefinition;
  readonly route: ToolRoute;
  /** What it can need; which one is decided by what is asked of it. */
  readonly scopes: readonly Scope[];
  invoke(request: ToolRequest): Promise<Invocation>;
};

/** The tool that a caller may call by this name, or the code of why it may not. */
export function directTool(
  tools: readonly RuntimeTool[],
  name: string,
): RuntimeTool | 'unknown_tool' | 'tool_route_gateway' {
  const tool = tools.find(({ definition }) => definition.name === name);
  if (tool === undefined) return 'unknown_tool';
  return tool.route === 'direct' ? tool : 'tool_route_gateway';
}
