import { defineErrors, FairleadError, type Json } from '@fairlead/base';

/** The hub's own codes; what an extension's code, hooks and calls do wrong has the codes of `@fairlead/extension`. */
export const hubErrors = defineErrors({
  manifest_mismatch: {
    message: 'The code of the extension says another manifest than the one that it was installed under.',
    next: 'Reload the extension, so that what it is and needs now is read and judged again.',
  },
  extension_folder_invalid: {
    message: 'That is no folder of an extension.',
    next: 'Name the folder that holds its package.json or src/extension.ts.',
  },
  extension_duplicate: {
    message: 'Another extension of this name is installed; the one in force was left as it is.',
    next: 'Unload that one first, reload it by its name, or give one of the two another name.',
  },
  extension_warning: {
    message: 'The extension said a warning while it was checked.',
    next: 'Read what it says; a timer, socket or file that was left open belongs to the scope that `open` is given.',
  },
  extension_unknown: {
    message: 'No extension of this name is installed here.',
    next: 'See `/extensions` or `fairlead ext list` for the names.',
  },
  extension_replaced: {
    message: 'The extension was reloaded since this turn began; nothing was started.',
    next: 'Look at the tools again and make the call anew: the next turn has the new ones.',
  },
  extension_restarted: {
    message: 'The worker of the extension had ended and was started again.',
    next: 'Nothing needs to be done; where it happens often, read what it prints before it ends.',
  },
  capability_missing: {
    message: 'The extension requires a cap that no installed extension provides.',
    next: 'Install an extension that provides what the detail names; this one is then started by itself.',
  },
  name_reserved: {
    message: 'A command has a name that the host keeps for itself; it was left out.',
    next: 'Give the command another name.',
  },
  name_shadowed: {
    message: 'Two extensions have a tool or a command of one name; where both are on, one hides the other.',
    next: 'Switch off the one that is not wanted, or rename it.',
  },
  instance_close_late: {
    message: 'An instance did not end within its time and was left.',
    next: 'Do less in `close`, or start the end of long work earlier: the `signal` of the scope says when.',
  },
  failure_not_written: {
    message:
      'What became of an extension could not be written to the database; it is still known until the host ends.',
    next: 'See the reason for what the disk said.',
  },
  activation_malformed: {
    message: 'A switch in the log of a session or an agent cannot be read, so the one before it holds.',
    next: 'Update Fairlead where a newer one wrote it; else see in the history which peer did, and whether it should write there.',
  },
  agent_state_invalid: {
    message:
      'An extension asked for a place in the state of an agent that there is not, or for too much of it.',
    next: 'Name a document or a table of the agent that extensions may touch, and read or write less at once.',
  },
  entry_invalid: {
    message: 'This is no entry that a session takes; nothing was written.',
    next: 'See the detail for the member. A text has at most 64 KiB, an entry 256 KiB; an extension gives type message or directive, and a speaker of at most 256 bytes.',
  },
  session_not_here: {
    message: 'There is no such session on this peer, or none that the extension may use.',
    next: 'Look at the sessions of this peer; one of another peer is fetched first.',
  },
  settings_secret: {
    message: 'A setting held a value of the environment, which is never stored; nothing was saved.',
    next: 'Save only what has changed, and change the variable where the value itself should change.',
  },
  settings_variable_missing: {
    message:
      'A setting in fairlead.toml names a variable that the environment does not have; the default holds.',
    next: 'Set the variable where Fairlead is started, or take the setting out of the file.',
  },
  agent_not_here: {
    message: 'No agent of this name or id is hosted here.',
    next: 'See `/agents` for the agents of this host.',
  },
  session_close_late: {
    message: 'Calls of a session that closes did not end within 5 s and were left.',
    next: 'Look at what they touch; their outcome is unknown.',
  },
  outputs_not_written: {
    message: 'What extensions show in the status could not be written down.',
    next: 'See the reason for what the disk said; it is tried again at the next turn.',
  },
  session_not_open: {
    message: 'The session is not open here; nothing was started.',
    next: 'Open the session first; one that is closing can be opened again when it has closed.',
  },
  tool_inactive: {
    message: 'The extension that has this tool is off, or cannot run here; nothing was started.',
    next: 'Switch it on with `/extensions add NAME`, or see `/extensions` for why it waits.',
  },
  call_not_decided: {
    message:
      'The host could not decide whether the call may run, or write that it begins; nothing was started.',
    next: 'Read the reason, and call again when it is mended.',
  },
  call_not_settled: {
    message: 'The call ended, and how it ended could not be written down.',
    next: 'Look at what the tool touches before the call is made again; see the reason for what the disk said.',
  },
  hub_closed: {
    message: 'The hub is closing; nothing was started.',
    next: 'Start Fairlead again.',
  },
});

export type HubErrorCode = keyof typeof hubErrors;

/** A hub error with its table's message, and behind it what is safe to show: a name, a kind, a place. */
export function hubError(code: HubErrorCode, what = '', detail?: Json): FairleadError {
  const { message } = hubErrors[code];
  return new FairleadError(
    code,
    what === '' ? message : `${message} (${what})`,
    detail === undefined ? {} : { detail },
  );
}
