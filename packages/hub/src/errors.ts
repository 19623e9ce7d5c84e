import { defineErrors, FairleadError, type Json } from '@fairlead/base';

/** The hub's own codes; what an extension's code, hooks and calls do wrong has the codes of `@fairlead/extension`. */
export const hubErrors = defineErrors({
  manifest_mismatch: {
    message: 'The code of the extension says another manifest than the one that it was installed under.',
    next: 'Reload the extension, so that what it is and needs now is read and judged again.',
  },
  extension_duplicate: {
    message: 'Another extension of this name is installed; the one in force was left as it is.',
    next: 'Unload that one first, reload it by its name, or give one of the two another name.',
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
