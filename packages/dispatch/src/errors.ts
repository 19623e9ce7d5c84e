import { defineErrors } from '@fairlead/base';

/** The codes that dispatch decides itself, and those of the `RunnerPort` that it declares. */
export const dispatchErrors = defineErrors({
  invalid_arguments: {
    message: 'The arguments are not what the tool takes; nothing was sent.',
    next: 'Compare them with the inputSchema of the tool; `detail` names the member and what is wrong with it.',
  },
  invalid_runner: {
    message: 'The runner is blank, too long or holds a control character; nothing was sent.',
    next: 'List the Runners and copy the id.',
  },
  unknown_tool: {
    message: 'There is no tool of this name.',
    next: 'Take the name from the list of tools; a provider’s tool is reached through plugin_tool.',
  },
  tool_route_direct: {
    message: 'The tool is called by its own name, not through call_runtime_tool; nothing was sent.',
    next: 'Call it directly, with the same arguments.',
  },
  tool_route_gateway: {
    message: 'The tool is reached through call_runtime_tool alone; nothing was sent.',
    next: 'Call call_runtime_tool with tool and arguments.',
  },
  insufficient_scope: {
    message: 'The token does not have the scope that this action needs; nothing was sent.',
    next: 'Use a token that has it; scopes are given when a token is made, and none implies another.',
  },
  unknown_session_id: {
    message: 'The recording_session_id names no session; nothing was sent.',
    next: 'Leave it out, or give the id of a session that exists.',
  },
  token_limited: {
    message: 'The token is limited to some Runners, and this could reach others; nothing was done.',
    next: 'Use a token without that limit, or a session whose agents are limited to the same Runners.',
  },
  token_ended: {
    message: 'The token was revoked or expired while the call was held; nothing was started.',
    next: 'Make the call again with a token that is valid.',
  },
  host_paused: {
    message: 'The host is paused: no turn and no call starts.',
    next: 'Use `fairlead resume` or `/resume` when it may go on.',
  },
  permission_denied: {
    message: 'The authority mode of this gateway does not allow this action; nothing was sent.',
    next: 'Ask the operator. Under the mode trusted_agent it is allowed, under restricted a person is asked; list and describe always are.',
  },
  runner_unavailable: {
    message: 'There is no such Runner that this token may use and that is connected.',
    next: 'List the Runners; start the one that is missing.',
  },
  plugin_unavailable: {
    message: 'The Runner has no plugin of that id; nothing was sent.',
    next: 'List the plugins of that Runner.',
  },
  project_unavailable: {
    message: 'There is no such project on a connected Runner that this token may use.',
    next: 'List the projects with work_on_project and copy the id.',
  },
  context_unknown: {
    message: 'There is no context of this name; the call itself is not touched by that.',
    next: 'Ask for plugins.catalog.',
  },
  context_project_missing: {
    message: 'No project is meant, so there is no catalog of one; the call itself is not touched by that.',
    next: 'Ask for plugins.catalog:PROJECT with the id of a project, or for plugins.catalog beside a call of work_on_project with one.',
  },
  tool_not_found: {
    message: 'The plugin has no tool of that name; nothing was sent.',
    next: 'List the tools of that plugin.',
  },
  describe_required: {
    message:
      'The binding is not known here, or its Runner is not one that this token may use; nothing was sent.',
    next: 'Describe the tool and call it with the binding that comes back.',
  },
  plugin_replaced: {
    message:
      'The Runner or the plugin was started again since it was looked at; nothing was sent elsewhere instead or sent again.',
    next: 'Describe the tool again and call it with the new binding.',
  },
  plugin_gateway_unavailable: {
    message: 'Too many requests wait for that Runner; nothing was sent.',
    next: 'Try again when some of them have ended.',
  },
  plugin_gateway_timeout: {
    message: 'The Runner did not answer in time.',
    next: 'See whether the Runner is connected and what its plugins are doing.',
  },
  plugin_tool_error: {
    message: 'The tool ran and reports an error of its own.',
    next: 'Its result says what is wrong.',
  },
  dispatch_failed: {
    message: 'The gateway failed while the request was on its way.',
    next: 'This is a fault in Fairlead: report it with the log of that time.',
  },
  call_not_found: {
    message: 'There is no call of that id which this token could ask for.',
    next: 'Copy the call from an answer that the same token got; rows are kept for 30 days.',
  },
  call_running: {
    message: 'The call has not ended yet.',
    next: 'Ask for its outcome again later.',
  },
  call_not_delivered: {
    message: 'The call was lost on its way to the Runner and will not run.',
    next: 'Call again if it is still wanted.',
  },
  call_forgotten: {
    message: 'The Runner does not have the answer of the call any more, or was started again since.',
    next: 'Look at what the tool changes; nothing more will be learnt from the Runner.',
  },
  journal_unavailable: {
    message: 'The invocation could not be written into the journal, so it was not begun.',
    next: 'See that the disk of the state directory has room and can be written, then try again.',
  },
  journal_unsettled: {
    message: 'The invocation ended as its certainty says, but the journal could not be told.',
    next: 'Do not repeat it for that reason. See that the disk of the state directory has room; the journal is told as soon as it can be.',
  },
  invocation_interrupted: {
    message: 'The host stopped before the outcome of this invocation was written.',
    next: 'Look at what the tool changes before you call it again.',
  },
});

/** A code that dispatch decides or that its port answers. */
export type DispatchErrorCode = keyof typeof dispatchErrors;
