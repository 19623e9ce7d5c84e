import type { Json, JsonObject } from '@fairlead/base';
import { createTools, directTool, type Invocation, type Principal, type RuntimeTool } from '../src/index.ts';
import { type DispatchFloor, dispatchFloor, type TestContext } from './dispatch-floor.ts';

/** Every scope that the tools of a gateway can need. */
export const OPERATOR: Principal = {
  id: 'token:operator',
  scopes: ['plugin:inspect', 'plugin:invoke', 'plugin:manage', 'runner:manage', 'project:read'],
};

export type ToolsFloor = DispatchFloor & {
  readonly tools: readonly RuntimeTool[];
  call(
    name: string,
    params: Json,
    more?: { readonly principal?: Principal; readonly context?: readonly string[] },
  ): Promise<Invocation>;
  /** A tool with the route `gateway`. */
  runtime(tool: string, args: JsonObject, principal?: Principal): Promise<Invocation>;
};

/** The tools of a gateway over a real database and fake Runners. */
export async function toolsFloor(t: TestContext, authority = 'trusted_agent'): Promise<ToolsFloor> {
  const floor = await dispatchFloor(t, { authority });
  const tools = createTools(floor.ports);
  const call: ToolsFloor['call'] = async (name, params, { principal = OPERATOR, context } = {}) => {
    const tool = directTool(tools, name);
    if (typeof tool === 'string') throw new Error(tool);
    return await tool.invoke({ params, principal, ...(context === undefined ? {} : { context }) });
  };
  const runtime: ToolsFloor['runtime'] = (tool, args, principal = OPERATOR) =>
    call('call_runtime_tool', { tool, arguments: args }, { principal });
  return { ...floor, tools, call, runtime };
}
