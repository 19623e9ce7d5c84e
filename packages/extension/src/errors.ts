import type { JsonObject } from './json/json.ts';

/** What an error says, and what its reader can do about it. */
export interface ExtensionErrorText {
  readonly message: string;
  readonly next: string;
}

/** Every code that this package raises. Which codes the hub adds stands in its own table. */
export const extensionErrors = Object.freeze({
  manifest_invalid: {
    message: 'The manifest of an extension breaks a rule; the detail names the check and the place.',
    next: 'Mend what the detail names in the literal given to defineExtension; docs/reference/extension-api.md lists the checks.',
  },
  api_unsupported: {
    message: 'The extension was made for another version of the extension API.',
    next: 'Install a version of the extension that says api 1, or a newer Fairlead.',
  },
  extension_load_failed: {
    message: 'The code of the extension could not be loaded.',
    next: 'Read the reason, run the file by itself, and mend what it names.',
  },
  typescript_unsupported: {
    message: 'The extension uses TypeScript that has to be compiled, such as an enum or a namespace.',
    next: 'Write it with types that can be stripped (erasableSyntaxOnly), or load what you compiled.',
  },
  extension_not_defined: {
    message: 'The module has no default export that defineExtension made.',
    next: 'Write `export default defineExtension({ … })` in the file that is loaded.',
  },
  extension_crashed: {
    message: 'The worker of the extension ended while it was needed.',
    next: 'Read what it printed last; it is started again at the next use. Where the certainty is outcome_unknown, look before the call is made again.',
  },
  extension_unresponsive: {
    message: 'The extension blocked its thread for 10 seconds and was ended.',
    next: 'Move long computations into pieces with an await between them, or into a program of their own.',
  },
  extension_ended: {
    message: 'The instance or the whole extension has been ended; nothing was started.',
    next: 'Try again: the host opens a new instance at the next turn.',
  },
  instantiate_failed: {
    message: 'An instance of the extension could not be opened.',
    next: 'Read the reason; the host tries again at the next use.',
  },
  instantiate_timeout: {
    message: 'An instance of the extension was not open within 30 seconds.',
    next: 'Do slow work after open, in a timer of the scope or at the first call.',
  },
  capability_not_declared: {
    message: 'The extension uses something that its manifest does not declare.',
    next: 'Declare it in `access`, `uses` or `settings` of the literal, so that an operator sees it before it runs.',
  },
  hook_undeclared: {
    message: 'The code contributes something that its manifest does not declare; it was left out.',
    next: 'Build the extension again, so that its manifest is written from the code.',
  },
  hook_failed: {
    message: 'A hook threw, or returned what its contract does not allow.',
    next: 'Read the reason and mend the handler; for a gate the call was blocked, for the others the answer was left out.',
  },
  hook_timeout: {
    message: 'A hook did not answer within its budget.',
    next: 'Pass ctx.signal to what the handler waits for, and give up earlier; for a gate the call was blocked.',
  },
  verdict_invalid: {
    message: 'A toolCall hook returned something that is no verdict; the call was blocked.',
    next: 'Return nothing, { block: reason } with 1 to 500 characters, or { args } with an object.',
  },
  gate_unavailable: {
    message: 'An extension that judges this tool cannot run, so the call was refused.',
    next: 'See `/extensions` for the reason, or take the gate out of this session with `/extensions remove NAME`.',
  },
  tool_blocked: {
    message: 'A toolCall hook blocked the call; nothing was started.',
    next: 'Read the reason that the extension gave.',
  },
  tool_not_found: {
    message: 'The extension has no tool of this name.',
    next: 'Look at the tools of this session; the list may have changed since it was read.',
  },
  tool_arguments_invalid: {
    message: 'The arguments do not fit the schema of the tool; nothing was started.',
    next: 'Mend the member that the detail names, and call again.',
  },
  tool_failed: {
    message: 'The tool threw instead of answering.',
    next: 'Where the certainty is outcome_unknown, look at what the tool touches before the call is made again.',
  },
  tool_timeout: {
    message: 'The tool did not answer within its time.',
    next: 'Look at what the tool touches before the call is made again; `timeoutMs` of the tool sets its time.',
  },
  tool_output_invalid: {
    message: 'The tool ended, and its answer is nothing that JSON holds in less than 1 MiB.',
    next: 'Return text, plain JSON, or { text, data, isError }; the detail names the place.',
  },
  call_cancelled: {
    message: 'The call was cancelled after its handler had begun.',
    next: 'Look at what it touches before it is made again.',
  },
  unknown_command: {
    message: 'There is no command of this name.',
    next: 'See `/help` for the commands of this session.',
  },
  command_usage: {
    message: 'The command line does not fit the command.',
    next: 'Follow the usage line.',
  },
  command_failed: {
    message: 'The command threw instead of answering.',
    next: 'Read the reason, and look at what the command touches before it is given again.',
  },
  command_timeout: {
    message: 'The command did not answer within 60 seconds.',
    next: 'Look at what the command touches before it is given again.',
  },
  settings_invalid: {
    message: 'A setting does not fit the schema that the extension declares.',
    next: 'Set the key that the detail names to a value of its schema, or unset it.',
  },
  settings_need_session: {
    message: 'Settings are saved in a session, and this call belongs to none.',
    next: 'Save them in a tool, a command or a hook of a session.',
  },
  cap_unavailable: {
    message: 'The cap is not provided here, or has no such method.',
    next: 'Look whether its provider is on in this session; request it with `.optional` where it may be absent.',
  },
  cap_failed: {
    message: 'The provider of a cap threw instead of answering.',
    next: 'Read the reason; the provider’s own log says more.',
  },
  cap_timeout: {
    message: 'The provider of a cap did not answer within its budget.',
    next: 'Try again later, or see what the provider waits for.',
  },
  cap_depth_exceeded: {
    message: 'Caps called each other more than 8 deep.',
    next: 'Look for two extensions that call each other’s caps in a circle.',
  },
  routine_no_handler: {
    message: 'The extension has no routine of this id.',
    next: 'Disable the routine, or install a version of the extension that has it.',
  },
  routine_failed: {
    message: 'The routine threw instead of ending.',
    next: 'Read the reason; after three failures in a row the routine is disabled.',
  },
  routine_timeout: {
    message: 'The routine did not end within 10 minutes.',
    next: 'Do less in one firing, and go on in the next one.',
  },
  context_expired: {
    message: 'A context was used after the call that it was made for.',
    next: 'Take what you need from the context while the call runs; keep what lasts in the state that open returns.',
  },
  frame_too_large: {
    message: 'A message between the host and the extension is 1 MiB or more.',
    next: 'Pass less at a time, or a name under which the other side finds it.',
  },
  too_many_asks: {
    message: 'The extension has 256 questions to the host in flight.',
    next: 'Await what the context answers before asking again.',
  },
} satisfies Record<string, ExtensionErrorText>);

/** A code of {@link extensionErrors}. */
export type ExtensionErrorCode = keyof typeof extensionErrors;

/**
 * What is known about the effect of a call that did not answer: `not_started` nothing can have happened · `completed` it ended ·
 * `outcome_unknown` it may have happened.
 */
export type Certainty = 'not_started' | 'completed' | 'outcome_unknown';

/**
 * An ordinary error that carries a code, and the certainty of a call where one is known. `message` holds the table's
 * sentence and, behind it, a detail that is safe to show.
 */
export class ExtensionError extends Error {
  readonly code: string;
  readonly certainty: Certainty | undefined;
  /** What the code adds. */
  readonly detail: JsonObject | undefined;

  constructor(
    code: string,
    message: string,
    options: { certainty?: Certainty; cause?: unknown; detail?: JsonObject } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ExtensionError';
    this.code = code;
    this.certainty = options.certainty;
    this.detail = options.detail;
  }
}

/** Makes the error of a code, with `detail` behind the table's sentence where there is one. */
export function extensionError(
  code: ExtensionErrorCode,
  detail = '',
  options: { certainty?: Certainty; cause?: unknown } = {},
): ExtensionError {
  const { message } = extensionErrors[code];
  return new ExtensionError(code, detail === '' ? message : `${message} (${detail})`, options);
}
