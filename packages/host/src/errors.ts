import { defineErrors, FairleadError, type Json } from '@fairlead/base';

/** The host's own codes: models, policy, sessions and turns; the rows of one concern stand together. */
export const hostErrors = defineErrors({
  model_unknown: {
    message: 'No back end of this host has a model of this name.',
    next: 'See `fairlead model list` or `/backends` for the names, or add one with `fairlead model add`.',
  },
  model_key_missing: {
    message: 'The variable that holds the key of the back end is not set; nothing was sent.',
    next: 'Set the variable that `api_key_env` names where Fairlead is started, then start it again.',
  },
  model_unreachable: {
    message: 'The back end could not be reached, or closed the connection before it answered.',
    next: 'See that the server runs and that `base_url` is right; `fairlead model add` tries one with a call.',
  },
  model_timeout: {
    message: 'The back end was silent for longer than its `request_timeout_secs`, or answered for too long.',
    next: 'Try again; where a local model is slow to begin, raise `request_timeout_secs` of its back end.',
  },
  model_rate_limited: {
    message: 'The back end takes no more requests for now.',
    next: 'Wait, or use another model; where it said how long, the detail has it.',
  },
  model_unavailable: {
    message: 'The back end failed or is overloaded.',
    next: 'Try again later, or use another model.',
  },
  model_denied: {
    message: 'The back end refuses the key.',
    next: 'Look at the variable that `api_key_env` names: is it the key of this back end, and does it know this model?',
  },
  model_not_found: {
    message: 'The back end knows no such model, or nothing is at its address.',
    next: 'Compare the name of the model with what the back end offers, and `base_url` with its manual.',
  },
  model_request_refused: {
    message: 'The back end refuses the request as it is.',
    next: 'See what it said in the detail; a smaller context window or `tools = false` may be what this model needs.',
  },
  model_stream_broken: {
    message: 'The answer of the back end ended in its middle; what had come of it was dropped.',
    next: 'Try again; where it happens often, look at what stands between here and the server.',
  },
  model_reply_invalid: {
    message: 'The back end answered what is no reply of its kind; it was dropped.',
    next: 'See that `type` and `base_url` of the back end belong together.',
  },
  model_reply_too_large: {
    message: 'The answer of the back end passed the bound of one reply; it was dropped.',
    next: 'Ask for less at once, or lower `max_tokens` of the back end.',
  },
  model_cancelled: {
    message: 'The request was cancelled; what had come of the answer was dropped.',
    next: 'Nothing needs to be done.',
  },
  script_invalid: {
    message: 'The file of a scripted back end cannot be used.',
    next: 'Mend the place that the detail names; docs/reference/models.md has the format.',
  },
  script_mismatch: {
    message: 'The script does not say this: it is at its end, or expected something else here.',
    next: 'Compare the place that the detail names with what the session did.',
  },
  ceiling_reached: {
    message: 'A ceiling on tokens or money is reached; no further model call or tool call starts.',
    next: 'Wait for the next day where it is a day’s, or raise the ceiling in `[limits]` and start Fairlead again.',
  },
  session_guard_denied: {
    message: 'The mode of this session does not let this tool run; nothing was started.',
    next: 'An `inspect` session runs nothing and a `read_only` session only what reads. Who may approve calls can change its mode.',
  },
  grant_denied: {
    message: 'What the call would touch is not granted; nothing was started.',
    next: 'See the detail for what it was. An operator widens it in `[policy.grants]`, or in the agent’s `grants`; docs/reference/policy.md has the rules.',
  },
  approval_unattended: {
    message: 'A person would have to be asked, and nobody is there to answer; nothing was started.',
    next: 'Watch the session, name the tool with `--approve`, or put it into `auto_approve` of `[policy]` where its policy allows that.',
  },
  rate_limited: {
    message: 'The tool was called as often as its limit allows within a minute; nothing was started.',
    next: 'Wait as long as the detail says, or raise `rate_per_minute` of the tool; 0 there switches it off.',
  },
  arguments_too_large: {
    message: 'The arguments are larger than a person can be shown; nothing was started.',
    next: 'Pass at most 64 KiB: write the rest into a file and name it.',
  },
  leak_blocked: {
    message: 'The result held what looks like a secret, and `leak = "block"` keeps it back whole.',
    next: 'See the detail for its kind. With `leak = "redact"` only the secret itself is left out.',
  },
  network_request_invalid: {
    message: 'This is no request that may be made; nothing was sent.',
    next: 'Use an http or https address without a user name in it, an ordinary method, and none of the headers that the host sets itself.',
  },
  network_address_refused: {
    message: 'The address may not be reached from here; nothing was sent to it.',
    next: 'Private networks open with `allow_private`; addresses that hand out the credentials of a machine, and those that are nobody’s, never do.',
  },
  network_name_unresolved: {
    message: 'The name of the host could not be resolved; nothing was sent.',
    next: 'See that the name is spelled right and that this machine has a resolver.',
  },
  network_unreachable: {
    message: 'No connection could be made, or its certificate was refused; nothing was sent.',
    next: 'See that the server runs and that its certificate is of this name.',
  },
  network_redirect_refused: {
    message: 'The server answered with a redirect that is not followed.',
    next: 'See the detail for why. What had been sent, has been sent; look there before trying again.',
  },
  network_answer_broken: {
    message: 'The answer did not come whole.',
    next: 'The request may have had its effect: look before sending it again.',
  },
  network_timeout: {
    message: 'The answer did not come in time.',
    next: 'Where the outcome is unknown the request may have had its effect: look before sending it again.',
  },
  network_cancelled: {
    message: 'The request was cancelled.',
    next: 'Where the outcome is unknown it may have had its effect all the same.',
  },
  session_unknown: {
    message: 'There is no such session here.',
    next: 'See `fairlead session list` or `/sessions` for their names and ids.',
  },
  session_ambiguous: {
    message: 'More than one open session has this name.',
    next: 'Give the id instead; the detail has them, and `fairlead session list` or `/sessions` says which is which.',
  },
  session_closed: {
    message: 'The session is closed; nothing was written.',
    next: 'Open a new one with `/new`. What was said in it can still be read and exported.',
  },
  session_busy: {
    message: 'As many messages wait in this session as may wait; nothing was written.',
    next: 'Send it again when some of them were answered, under the same key.',
  },
  session_mode_denied: {
    message: 'Changing the mode of a session needs the right to approve calls.',
    next: 'Ask somebody whose token has `session:approve` or `admin`.',
  },
  session_invalid: {
    message: 'A session cannot be made or changed like this; nothing was written.',
    next: 'See the detail for what is wrong.',
  },
  agent_unknown: {
    message: 'There is no such agent here.',
    next: 'See `/agent hosted` in `fairlead chat` for their names and ids; `fairlead session list` shows who takes part where.',
  },
  agent_ambiguous: {
    message: 'More than one agent here has this name.',
    next: 'Give the id instead; the detail has them.',
  },
  agent_not_attached: {
    message: 'The agent takes no part in this session.',
    next: 'Attach it with `/agent add` in `fairlead chat`, or make a session with it: `fairlead session new --agent NAME`.',
  },
  turn_running: {
    message: 'A turn of this session is under way, or what it was to answer has been taken already.',
    next: 'Wait for its end, or cancel it.',
  },
  approval_scope_missing: {
    message: 'Deciding about a call needs a right of its own.',
    next: 'Use a token with `session:approve`; the operator’s has it, and no token has it by default.',
  },
  approval_unknown: {
    message: 'There is no such approval here.',
    next: 'See `fairlead approvals list` or `/approvals` for those that wait.',
  },
  command_scope_missing: {
    message: 'The command needs a right that the token behind it does not have; nothing was changed.',
    next: 'Use a token with the scope that is named; the operator’s has all of them.',
  },
  command_elsewhere: {
    message: 'This is no command of a session here.',
    next: 'The message says where it is done, or what it comes with.',
  },
  nothing_to_continue: {
    message: 'No turn was cut short in this session.',
    next: 'Say what should be done next.',
  },
  nothing_to_compact: {
    message: 'Too little stands in this session, or since its last summary, to sum up.',
    next: 'Nothing needs to be done.',
  },
  agent_attached: {
    message: 'The agent takes part in sessions that are open; nothing was deleted.',
    next: 'Take it out of them with `/agent remove`, or close them; the detail has their ids.',
  },
  agent_elsewhere: {
    message: 'The agent is at home on another peer: only that one changes what it is.',
    next: 'Change it there. Who answers where is shown by `/agent home-status`.',
  },
  agent_field_invalid: {
    message: 'A field of an agent cannot be set like this; nothing was changed.',
    next: 'See what is wrong with it behind the name of the field; docs/reference/sessions.md has the fields.',
  },
  tool_not_allowed: {
    message: 'The agent may not use this tool; nothing was started.',
    next: 'Do it with another tool, or add this one to `tools` of the agent.',
  },
  tool_error: {
    message: 'The tool ran and reports an error of its own.',
    next: 'Its result says what is wrong.',
  },
  call_still_running: {
    message: 'The call has been running for 125 s and goes on; how it ends is not known yet.',
    next: 'Read the session later: its `tool_result` tells. Do not make the call again before that.',
  },
  approval_pending: {
    message: 'A person is asked whether this call may run; nothing was started.',
    next: 'Decide with `fairlead approvals`, then make the same call again: it finds the decision, once.',
  },
  approval_limit_reached: {
    message: 'As many calls of this caller wait for a person as may; nothing was started.',
    next: 'Have some of them decided, or wait until they expire, 300 s after they were asked; then make the call again.',
  },
  approval_denied: {
    message: 'A person said that this call must not run; nothing was started.',
    next: 'Do not make it again as it is; ask what should be done instead.',
  },
  approval_expired: {
    message: 'Nobody decided in time, or what was approved was not used in time; nothing was started.',
    next: 'Make the call again when somebody is there to decide.',
  },
  approval_cancelled: {
    message: 'What was asked about this call was cancelled; nothing was started.',
    next: 'Make the call again if it is still wanted.',
  },
  approval_rule_denied: {
    message: 'Where `authority` is `restricted`, each call is decided by itself; nothing was approved.',
    next: 'Approve or deny this call.',
  },
  turn_cancelled: {
    message: 'The turn was cancelled.',
    next: 'Say how it should go on, or `/continue`. What had been done before is in the session.',
  },
  turn_timeout: {
    message: 'The turn took longer than it may.',
    next: 'Give it more time, or ask for less at once; what had been done before is in the session.',
  },
  turn_stuck: {
    message: 'The model asked for the same again and again, so it was asked to answer without tools.',
    next: 'See what its calls answered: something that it needs may be missing, or not be allowed.',
  },
  turn_iterations: {
    message: 'The turn used all its steps with tools, so the model was asked to answer with what it knew.',
    next: 'Ask it to go on, or raise `max_iterations` of the agent.',
  },
  turn_failed: {
    message: 'The turn failed for a reason that has no name.',
    next: 'See the log of the host; where it happens again, report it.',
  },
  reply_cut: {
    message: 'The reply of the model was cut because it was too long.',
    next: 'Ask for less at once, or raise `max_tokens` of the back end.',
  },
  reply_filtered: {
    message: 'The back end withheld the rest of the reply.',
    next: 'See what the model was asked; another model may answer it.',
  },
  host_stopping: {
    message: 'The host stops; what ran was cancelled.',
    next: 'Start Fairlead again; a turn that was cut short is continued with `/continue`.',
  },
  host_not_started: {
    message: 'The host is not ready yet; nothing was started.',
    next: 'Try again in a moment.',
  },
  agent_not_home: {
    message: 'The agent is at home on another peer; it answers there.',
    next: 'Ask there, or see `/agent home-status`.',
  },
  spawn_too_deep: {
    message: 'An agent at this depth gives no tasks to others; nothing was started.',
    next: 'Do the task yourself. How deep it may go is `max_depth` of the agent.',
  },
  spawn_too_many: {
    message: 'Too many tasks that were given in this session still run; nothing was started.',
    next: 'Wait until some of them have ended.',
  },
  worker_unknown: {
    message: 'The agent has no worker of this name; nothing was started.',
    next: 'Use one of those that the message names; they stand in `[[agents.workers]]`.',
  },
  spawn_still_running: {
    message: 'The task was given and goes on; nobody waited to its end.',
    next: 'Look into the session that the detail names; do not give the task again before.',
  },
  host_paused: {
    message: 'The host is paused: no turn and no call starts.',
    next: 'Use `fairlead resume` or `/resume` when it may go on.',
  },
  agent_required: {
    message: 'No agent takes part in this session that could do this.',
    next: 'Name one that takes part, attach one with `/agent add` in `fairlead chat`, or make a session with one: `fairlead session new --agent NAME`.',
  },
  schedule_unknown: {
    message: 'The agent has no schedule of this id.',
    next: 'See its schedules with `/schedule list`.',
  },
  schedule_exists: {
    message: 'The agent has a schedule of this id already; it stays as it is.',
    next: 'Change that one, or take another id.',
  },
  schedule_invalid: {
    message: 'The schedule is not one that can be kept.',
    next: 'Mend what stands in parentheses; a time is a cron pattern, an interval or one moment.',
  },
  schedule_unchanged: {
    message: 'The change names nothing to change.',
    next: 'Say what is to be different: the time, the task, the target, a bound, or whether it is on.',
  },
  schedule_too_often: {
    message: 'The schedule would fire more often than the operator allows.',
    next: 'Take a longer time between, or raise `schedule_min_secs` in `[limits]`.',
  },
  schedule_limit: {
    message: 'The agent has as many schedules as the operator allows.',
    next: 'Take one away, or raise `schedules_per_agent` in `[limits]`.',
  },
  routine_undeclared: {
    message: 'The routines that extensions declare could not be written down; the next start tries again.',
    next: 'See the reason beside it; `fairlead doctor` looks at the database.',
  },
  routine_invalid: {
    message: 'The row of the routine cannot be read; it does not fire.',
    next: 'Write it again; docs/reference/routines.md says what stands in one.',
  },
  routine_disabled: {
    message: 'The routine failed too many times in a row and was switched off.',
    next: 'See why in its history, mend it, and switch it on again.',
  },
  routine_gone: {
    message: 'The routine of this slot was taken away before it ended.',
    next: 'Nothing is to be done; its history stays.',
  },
  slot_overlap: {
    message: 'The slot was due while the one before still ran; it was skipped.',
    next: 'Give it more time between, or `overlap = allow` where two at once do no harm.',
  },
  slot_paused: {
    message: 'The slot was due while the host was paused.',
    next: 'Nothing is to be done; what `missed` of the routine says holds for it.',
  },
  slots_more_missed: {
    message: 'This slot was missed, and more before it that have no row.',
    next: 'Nothing is to be done; the host was not running then.',
  },
  host_ended: {
    message:
      'The host ended after the slot was claimed; whether its handler ran is not known, and it is not run again.',
    next: 'Look at what it touches before you fire it by hand.',
  },
  turn_interrupted: {
    message: 'The host ended while the turn of this slot ran.',
    next: 'See its session; `fairlead session continue` goes on with it.',
  },
  turn_never_began: {
    message: 'The task of this slot was given, and no turn answered it.',
    next: 'See its session; it may have been closed meanwhile.',
  },
  schedule_gone: {
    message: 'The schedule was taken away or switched off before its slot ran.',
    next: 'Nothing is to be done.',
  },
  schedule_expired: {
    message: 'The schedule has reached its end and was switched off.',
    next: 'Set another `expires_at` and switch it on where it is to go on.',
  },
  schedule_spent: {
    message: 'The schedule has fired as often as it may and was switched off.',
    next: 'Set another `max_fires` and switch it on where it is to go on.',
  },
  prompt_file_unread: {
    message: 'A file of an agent’s prompt could not be read; the rest of the prompt holds.',
    next: 'See whether the path in `system_prompt_files` is right and the file UTF-8.',
  },
  context_left_out: {
    message: 'What an extension adds to each request is more than there is room for; it was left out.',
    next: 'Mend what the extension adds, turn it off in this session, or give the agent a model with a larger window.',
  },
  routine_unfired: {
    message: 'A routine could not be fired, or nobody knows what became of it.',
    next: 'See its history; what is unknown is not run again by itself.',
  },
  skill_unknown: {
    message: 'There is no skill of this name here.',
    next: 'See the names with `/skills list`; an agent uses `skill_list` or `skill_search`.',
  },
  skill_untrusted: {
    message: 'The skill is not trusted as it is now, so no agent is shown it.',
    next: 'Read it with `/skills show NAME`, then trust what you read with the line that it prints.',
  },
  skill_tools_missing: {
    message: 'The skill needs tools that are not offered here.',
    next: 'Turn on the extension that has them, or use another skill.',
  },
  skill_invalid: {
    message: 'The skill cannot be read.',
    next: 'Mend what stands in parentheses; docs/reference/skills.md says how a skill is written.',
  },
  skill_file_unknown: {
    message: 'The skill has no such file.',
    next: 'Take one of the files that `skill_show` lists, by its path inside the skill.',
  },
  skill_file_not_text: {
    message: 'The file of the skill is not UTF-8 text; it is not shown.',
    next: 'Take another file of the skill.',
  },
  skill_digest_required: {
    message:
      'A skill is trusted by the digest of what was read: another may stand there by now. Nothing was trusted.',
    next: 'Read it with `/skills show NAME`, then type the line with `--digest` that it prints.',
  },
  skill_changed: {
    message: 'The skill was changed while it was read.',
    next: 'Ask again; where it was trusted by its digest, somebody has to trust it again.',
  },
  skill_exists: {
    message: 'Something of this name is there already; it stays as it is.',
    next: 'Take it away first with `/skills remove NAME`, or choose another name.',
  },
  skill_source_invalid: {
    message: 'This is no folder with a skill, and no repository.',
    next: 'Name a folder that holds a SKILL.md, or a repository by https, ssh or file with `--ref`.',
  },
  skill_fetch_failed: {
    message: 'The repository could not be fetched; nothing was installed.',
    next: 'See that the address, the ref and your access to it are right; what git said stands in parentheses.',
  },
  skill_command_denied: {
    message: 'Who typed this may not change which skills are here or trusted.',
    next: 'Use a token with the scope `admin`, such as the operator’s.',
  },
  memory_command_denied: {
    message: 'Who typed this may not change banks, nor read or write those that were not granted here.',
    next: 'Use a token with the scope `admin`, such as the operator’s.',
  },
  memory_invalid: {
    message: 'What was to be remembered does not fit; nothing was written.',
    next: 'Mend what stands in parentheses.',
  },
  memory_unknown: {
    message: 'Nothing is remembered under this key.',
    next: 'Look for it with `/memory recall`.',
  },
  memory_file_invalid: {
    message: 'The file could not be read or written.',
    next: 'Name a file in the folder of the session; an export writes none that is there already, an import reads what one wrote.',
  },
  bank_unknown: {
    message: 'There is no such bank here for this agent.',
    next: 'Take one that is named in parentheses, or have one granted with `/memory grant`.',
  },
  bank_ambiguous: {
    message: 'Several banks have this name.',
    next: 'Name one by its id.',
  },
  bank_exists: {
    message: 'There is a bank of this name already; it stays as it is.',
    next: 'Take another name.',
  },
  bank_name_invalid: {
    message: 'This cannot be the name of a bank.',
    next: 'Take up to 64 letters, digits, `-`, `_` and `.`, a letter or digit first.',
  },
  bank_read_only: {
    message: 'The bank is granted for reading; nothing was written.',
    next: 'Have it granted for writing with `/memory grant BANK AGENT write`, on a peer that may write there.',
  },
  bank_revoked: {
    message: 'The bank was granted once and is no more.',
    next: 'Have it granted again with `/memory grant`, where the bank may be written.',
  },
  embedding_unavailable: {
    message: 'The model for embeddings cannot be asked; memories are found by their words meanwhile.',
    next: 'See whether the address in `[embedding]` answers, and whether its key holds. It is asked again by itself.',
  },
  embedding_refused: {
    message: 'The model for embeddings refuses a text; that memory is found by its words.',
    next: 'Look at the model and at `dimensions` in `[embedding]`: a text may be longer than it reads.',
  },
  embedding_invalid: {
    message: 'What the model for embeddings answers cannot be used.',
    next: 'Look at the address, the model and `dimensions` in `[embedding]`: it must answer as OpenAI’s API does.',
  },
  pin_changed: {
    message:
      'A pinned tool of a plugin is not the one that was approved; it is not shown until somebody approves it.',
    next: 'Look at `fairlead ext diff plugins`, then `fairlead ext approve plugins --tool NAME`, or take the pin out.',
  },
  pin_nothing_pending: {
    message: 'Nothing of what was seen waits for an approval any more.',
    next: 'Look again with `fairlead ext diff plugins`.',
  },
});

export type HostErrorCode = keyof typeof hostErrors;

/** A host error with its table's message, and behind it what is safe to show: a name, a kind, a place. */
export function hostError(code: HostErrorCode, what = '', detail?: Json): FairleadError {
  const { message } = hostErrors[code];
  return new FairleadError(
    code,
    what === '' ? message : `${message} (${what})`,
    detail === undefined ? {} : { detail },
  );
}
