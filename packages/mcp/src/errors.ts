import { defineErrors } from '@fairlead/base';

/** The codes of MCP servers and of calls to them. */
export const mcpErrors = defineErrors({
  mcp_starting: {
    message: 'The MCP server is still starting; nothing was sent.',
    next: 'Make the call again in a moment. `fairlead ext list` says how far the server is.',
  },
  mcp_start_late: {
    message: 'The MCP server has not answered within its startup timeout; it is still waited for.',
    next: 'A first start may have to fetch something. If it never comes, read `fairlead ext output NAME`, and start its command by hand.',
  },
  mcp_unavailable: {
    message: 'The MCP server does not run; nothing was sent.',
    next: 'See `fairlead ext list` for the reason and `fairlead ext output NAME` for what it printed. It is tried again by itself.',
  },
  mcp_start_failed: {
    message: 'The MCP server could not be started.',
    next: 'Start its command by hand, with the environment that `[[mcp.servers]]` gives it: PATH and HOME among it, and little else.',
  },
  mcp_connect_failed: {
    message: 'No connection to the MCP server could be made; nothing was sent.',
    next: 'Check its address, and whether it runs. It is tried again by itself.',
  },
  mcp_protocol_failed: {
    message: 'The MCP server answered something that is not the protocol.',
    next: 'Check that the command or address is that of an MCP server; `fairlead ext output NAME` has what a program printed.',
  },
  mcp_tool_changed: {
    message: 'The tool is not what was approved any more; nothing was sent.',
    next: 'Look at `fairlead ext diff NAME`, and approve it with `fairlead ext approve NAME` if you agree.',
  },
  mcp_tools_refused: {
    message: 'Tools of the MCP server cannot be offered.',
    next: 'Each is named with its reason. The others of the server work.',
  },
  mcp_approval_pending: {
    message: 'The MCP server offers something that was not approved.',
    next: 'Look at `fairlead ext diff NAME`, and approve it with `fairlead ext approve NAME` if you agree.',
  },
  mcp_nothing_pending: {
    message: 'Nothing waits to be approved there.',
    next: '`fairlead ext diff NAME` shows what waits. What has changed since you looked is not approved: look again.',
  },
  mcp_error: {
    message: 'The MCP server answered with an error.',
    next: 'The call ended; the message is the server’s own.',
  },
  mcp_refused: {
    message: 'The MCP server refused the request.',
    next: 'Look at the HTTP status: 401 and 403 are about the token or the header of `headers_env`, 429 about too many calls.',
  },
  mcp_input_required: {
    message: 'The MCP server asks for input before it goes on, which is not given here.',
    next: 'The call ended. Give the tool what it needs in its arguments, or use it with a client that can be asked.',
  },
  mcp_output_too_large: {
    message: 'The answer of the MCP server is larger than can be taken; it was passed over.',
    next: 'The call ended. Ask the tool for less: a page, a range, a filter.',
  },
  mcp_output_invalid: {
    message: 'The structured answer of the MCP server does not fit the schema that it declares.',
    next: 'The call ended, and its text stands; tell whoever makes the server.',
  },
  mcp_answer_lost: {
    message: 'The call was sent to the MCP server and no answer to it came back.',
    next: 'It may have had its effect: look there before you make it again. It is never sent twice by itself.',
  },
  mcp_server_ended: {
    message: 'The MCP server ended while the call ran.',
    next: 'It may have had its effect: look there before you make it again. The server is started anew by itself.',
  },
  mcp_left_out: {
    message: 'A server of an imported file is left out.',
    next: 'The reason says why. The others of the file are taken; one of `[[mcp.servers]]` stands before one of its name there.',
  },
  mcp_variable_missing: {
    message: 'A variable that the MCP server is to be given is not set.',
    next: 'Set it where the host is started. One that holds a secret of the host is given to no program.',
  },
  mcp_token_failed: {
    message: 'The token for the MCP server could not be refreshed; nothing was sent.',
    next: 'Put a new refresh token into the variable that `refresh_token_env` names, and start the host again.',
  },
});

export type McpErrorCode = keyof typeof mcpErrors;
