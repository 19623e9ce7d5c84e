import { defineErrors } from '@fairlead/base';

const RELOAD =
  'Its process was ended. Read its last lines with `fairlead runner stderr PLUGIN`, then reload.';
const CHECK = 'Mend the plugin, run `fairlead plugin check` until it is ready, then reload.';
const REPORT = 'This is a fault in Fairlead: report it with the log of that time.';

/** The codes of the plugin wire and of the Runner link (docs/reference/native-plugin-protocol.md §9, §10). */
export const protocolErrors = defineErrors({
  // Before anything was sent.
  invalid_plugin_request: {
    message: 'The Runner does not understand the request; nothing was done.',
    next: 'Bring the gateway and the Runner to the same version of Fairlead.',
  },
  stale_plugin_provider: {
    message: 'The plugin was started again since it was described; nothing was sent.',
    next: 'Describe the tool again and call it with the new binding.',
  },
  plugin_provider_unavailable: {
    message: 'The plugin is not running, so nothing was sent.',
    next: 'List the plugins of that Runner for its error code, mend it, then reload.',
  },
  plugin_tool_unavailable: {
    message: 'The plugin has no tool of that name; nothing was sent.',
    next: 'List the tools of that plugin.',
  },
  plugin_schema_changed: {
    message: 'The tool is no longer the one that was described; nothing was sent.',
    next: 'Describe the tool again and call it with the new binding.',
  },
  plugin_arguments_schema_invalid: {
    message: 'The arguments do not satisfy the tool’s input schema; nothing was sent.',
    next: 'Describe the tool and compare the arguments with its inputSchema.',
  },
  plugin_provider_busy: {
    message: 'The plugin is answering another call; nothing was sent.',
    next: 'Call again when that call has ended, or set max_queued for the plugin.',
  },
  plugin_request_invalid: {
    message: 'The request cannot be written as JSON; nothing was sent.',
    next: REPORT,
  },
  plugin_request_too_large: {
    message: 'The request is larger than one frame of 1 MiB; nothing was sent.',
    next: 'Send less in the arguments.',
  },
  plugin_unexpected_message: {
    message: 'The plugin wrote a line that nobody had asked for.',
    next: `A plugin may write only answers to stdout. ${RELOAD}`,
  },
  plugin_call_entombed: {
    message: 'The request came after the Runner had said that it never would; nothing was sent.',
    next: 'That call is settled as not_started. Call again if it is still wanted.',
  },
  plugin_call_repeated: {
    message: 'The Runner has had a request with this call id; nothing was sent again.',
    next: 'Ask for the outcome of that call.',
  },
  plugin_manager_stopping: {
    message: 'The Runner is stopping.',
    next: 'Start the Runner, look at what the tool changes, then decide whether to call again.',
  },
  // On the wire.
  plugin_timeout: {
    message: 'The plugin did not answer within its time.',
    next: 'See the certainty for whether the call may have run. Raise timeout_secs if the tool needs longer.',
  },
  plugin_stdin_failed: { message: 'The plugin stopped reading its stdin.', next: RELOAD },
  plugin_stdout_failed: { message: 'The plugin’s stdout could not be read.', next: RELOAD },
  plugin_eof: {
    message: 'The plugin’s output ended; the process may have ended or closed its stdout.',
    next: `Check its command and arguments and that it is built. ${RELOAD}`,
  },
  plugin_malformed_json: {
    message: 'The plugin wrote a line that is no JSON object of its own.',
    next: `Only protocol lines may go to stdout, logs go to stderr. ${RELOAD}`,
  },
  plugin_message_too_large: {
    message: 'The plugin wrote a line of more than 1 MiB.',
    next: `Return less, or in parts. ${RELOAD}`,
  },
  plugin_protocol_error: { message: 'The plugin’s answer is no JSON-RPC 2.0 response.', next: RELOAD },
  plugin_response_id_invalid: { message: 'The plugin’s answer has no usable id.', next: RELOAD },
  plugin_duplicate_response_id: { message: 'The plugin answered an earlier request again.', next: RELOAD },
  plugin_unknown_response_id: { message: 'The plugin answered a request that was not made.', next: RELOAD },
  plugin_rpc_error: {
    message: 'The plugin answered with an error.',
    next: 'Its text stays on the Runner’s machine. The plugin goes on running: check the arguments.',
  },
  plugin_result_invalid: {
    message: 'The plugin’s result breaks the form or the bounds of a result.',
    next: `A result has only text content without control characters, at most 512 KiB. ${RELOAD}`,
  },
  plugin_output_schema_violation: {
    message: 'The plugin’s structuredContent does not satisfy its own outputSchema.',
    next: `The call has run. ${RELOAD}`,
  },
  plugin_provider_state_failed: { message: 'The Runner lost track of the plugin’s state.', next: REPORT },
  // While a plugin is prepared.
  plugin_config_read_failed: {
    message: 'The Runner’s configuration file cannot be read.',
    next: 'Check on the Runner’s machine that runner.toml exists and may be read.',
  },
  plugin_config_parse_failed: {
    message: 'The Runner’s configuration file is no TOML.',
    next: 'The Runner’s log names the line.',
  },
  plugin_config_invalid: {
    message: 'The Runner’s configuration file has a value that is not allowed.',
    next: 'Run `fairlead doctor` on the Runner’s machine: it names the line, the key and what is allowed.',
  },
  plugin_not_configured: {
    message: 'The configuration file has no plugin of that id.',
    next: 'Add it to [[plugins.providers]] of runner.toml, or list the plugins for the right id.',
  },
  plugin_environment_prepare_failed: {
    message: 'The environment of the plugin could not be prepared.',
    next: 'Run the init_script of its shell profile by hand; `fairlead runner stderr PLUGIN` has its last lines.',
  },
  plugin_executable_unsupported: {
    message: 'The command is a .cmd or .bat file, which needs a shell.',
    next: 'Name the native executable behind it, such as node.exe.',
  },
  plugin_executable_unavailable: {
    message: 'The command was not found, or may not be executed.',
    next: 'Check the command, its cwd and the PATH of its shell profile.',
  },
  plugin_spawn_failed: {
    message: 'The plugin’s process could not be started.',
    next: 'Run the command by hand on the Runner’s machine.',
  },
  plugin_stdio_unavailable: {
    message: 'The plugin’s process came without its pipes.',
    next: 'Check the limit of open files on the Runner’s machine.',
  },
  plugin_reader_unavailable: {
    message: 'Reading the plugin’s output could not be started.',
    next: 'Check the limit of open files on the Runner’s machine.',
  },
  plugin_writer_unavailable: {
    message: 'Writing to the plugin could not be started.',
    next: 'Check the limit of open files on the Runner’s machine.',
  },
  plugin_protocol_version_mismatch: {
    message: 'The plugin does not answer initialize with protocolVersion webcodex-plugin-v1.',
    next: CHECK,
  },
  plugin_initialize_invalid: {
    message: 'The plugin’s answer to initialize is no bounded object.',
    next: CHECK,
  },
  plugin_tools_list_invalid: {
    message: 'The plugin’s tools are not admitted.',
    next: `The diagnostic names the first fault. ${CHECK}`,
  },
  // One candidate at a time.
  plugin_check_busy: {
    message: 'Another check, reload or start is under way; nothing was started.',
    next: 'Check again when it has ended.',
  },
  plugin_check_state_failed: {
    message: 'The Runner lost track of its candidates; nothing was started.',
    next: REPORT,
  },
  plugin_reload_busy: {
    message: 'Another check, reload or start is under way; nothing was started.',
    next: 'Reload again when it has ended.',
  },
  plugin_reload_failed: {
    message: 'A plugin of the new configuration was not admitted, so nothing of it was applied.',
    next: 'Mend the plugins that `detail` names, or check them one by one, then reload again.',
  },
  plugin_reload_state_failed: {
    message: 'The Runner lost track of its candidates; nothing was started.',
    next: REPORT,
  },
  // What a diagnostic says.
  tools_list_result_malformed: {
    message: 'The result of tools/list is no object with the one member tools.',
    next: 'Answer {"tools": […]} and nothing beside it.',
  },
  tool_count_exceeded: {
    message: 'The plugin lists more than 128 tools.',
    next: 'Split it into several plugins.',
  },
  tool_definition_invalid: {
    message: 'A tool is no object, or has a member that tools do not have.',
    next: 'Keep to name, title, description, inputSchema, outputSchema and annotations.',
  },
  invalid_tool_name: {
    message: 'A tool has no name, or one that is not allowed.',
    next: 'Use 1 to 128 ASCII letters, digits, _ . or -.',
  },
  duplicate_tool_name: { message: 'Two tools have the same name.', next: 'Rename one of them.' },
  invalid_tool_title: {
    message: 'The title of the tool is not allowed.',
    next: 'Use 1 to 128 bytes without control characters.',
  },
  invalid_tool_description: {
    message: 'The description of the tool is not allowed.',
    next: 'Use at most 4,096 bytes without control characters.',
  },
  input_schema_invalid: {
    message: 'The inputSchema of the tool is no schema of profile v1.',
    next: 'Its root has type object, and each keyword stands on the type that it belongs to.',
  },
  output_schema_invalid: {
    message: 'The outputSchema of the tool is no schema of profile v1.',
    next: 'Its root has type object, and each keyword stands on the type that it belongs to.',
  },
  schema_keyword_unsupported: {
    message: 'A schema of the tool uses a keyword that profile v1 does not have.',
    next: 'Leave it out; check in the tool what the schema cannot say.',
  },
  annotations_invalid: {
    message: 'The annotations of the tool are no object.',
    next: 'Make them an object of hints.',
  },
  schema_bounds_exceeded: {
    message: 'A schema or the annotations of the tool are too large or too deep.',
    next: 'Keep each under 64 KiB, 16 levels, 4,096 values, and 128 properties, required names or enum values.',
  },
  // The Runner link.
  invalid_plugin_response: {
    message: 'The Runner’s answer does not belong to the request.',
    next: 'Look at the present state before doing it again, and bring both sides to the same version of Fairlead.',
  },
  invalid_plugin_result: {
    message: 'The Runner handed on a result that is none.',
    next: 'The call has run. Bring the gateway and the Runner to the same version of Fairlead.',
  },
  link_frame_too_large: {
    message: 'A frame of the Runner link has more than 8 MiB.',
    next: 'Make the schemas of the plugin’s tools smaller.',
  },
  link_frame_malformed: { message: 'A frame of the Runner link is no JSON.', next: REPORT },
  link_frame_invalid: {
    message: 'A frame of the Runner link is none that its sender may write.',
    next: 'Bring the gateway and the Runner to the same version of Fairlead.',
  },
});

/** Every code of the plugin wire and the Runner link. */
export type ProtocolCode = keyof typeof protocolErrors;
