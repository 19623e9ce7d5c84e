import { deepFreeze, type JsonObject } from '@fairlead/base';
import type { ToolDefinition } from '@fairlead/dispatch';
import { httpLimits } from '../limits.ts';

/** A tool as MCP lists it. */
export type McpTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
};

/** The argument that every tool takes besides its own: it is taken out before the tool sees the others. */
export const RECORDING_SESSION_ARGUMENT = 'recording_session_id';

/**
 * A tool in MCP's list: its own schema and the argument that names the session to record in. There is no `outputSchema` on
 * purpose: some clients hold the structured content of a failure against it too, and then show neither code nor certainty.
 */
export function mcpTool({ name, description, inputSchema, annotations }: ToolDefinition): McpTool {
  const properties = {
    ...(inputSchema['properties'] as JsonObject),
    [RECORDING_SESSION_ARGUMENT]: {
      type: 'string',
      minLength: 1,
      maxLength: httpLimits.recordingSessionIdBytes,
      description: 'Optional, for every tool: id of a session of this host to record the call in.',
    },
  };
  return deepFreeze({ name, description, inputSchema: { ...inputSchema, properties }, annotations });
}
