/** What an error says, and what its reader can do about it. */
export interface PluginSdkErrorText {
  readonly message: string;
  readonly next: string;
}

/** Every code that this package throws or rejects with. */
export const pluginSdkErrors = Object.freeze({
  sdk_tool_without_execute: {
    message: 'a tool has no execute function',
    next: 'give defineTool an execute function that returns a result',
  },
  sdk_tool_name_taken: {
    message: 'two tools of one plugin have the same name',
    next: 'rename one of them; names are unique within a plugin',
  },
  sdk_tool_foreign: {
    message: 'definePlugin was given something that defineTool did not make',
    next: 'pass what defineTool returned, and see that one copy of @fairlead/plugin-sdk is installed',
  },
  sdk_tool_threw: {
    message: 'a tool threw instead of answering',
    next: 'catch what the tool can explain and return errorResult; let the rest throw',
  },
  sdk_result_unsendable: {
    message: 'a tool returned something that is not a result JSON can hold',
    next: 'return textResult or errorResult with plain JSON in its structured content',
  },
  sdk_stream_failed: {
    message: 'a stream of the plugin protocol failed',
    next: 'see what closed or broke standard input or output of the plugin',
  },
} satisfies Record<string, PluginSdkErrorText>);

/** A code of {@link pluginSdkErrors}. */
export type PluginSdkErrorCode = keyof typeof pluginSdkErrors;

/** An ordinary error that carries a code. */
export type PluginSdkError = Error & { readonly code: PluginSdkErrorCode };

/** Makes the error of a code: the message is the table's, with `detail` behind it where there is one. */
export function pluginSdkError(
  code: PluginSdkErrorCode,
  kind: ErrorConstructor | TypeErrorConstructor,
  more: { readonly detail?: string; readonly cause?: unknown } = {},
): PluginSdkError {
  const { message } = pluginSdkErrors[code];
  const said = more.detail === undefined ? message : `${message}: ${more.detail}`;
  const error = 'cause' in more ? new kind(said, { cause: more.cause }) : new kind(said);
  return Object.assign(error, { code });
}

/** Whether `value` is one of this package's errors. */
export function isPluginSdkError(value: unknown): value is PluginSdkError {
  return (
    value instanceof Error &&
    'code' in value &&
    typeof value.code === 'string' &&
    Object.hasOwn(pluginSdkErrors, value.code)
  );
}
