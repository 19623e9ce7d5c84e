/** One piece of a result's content. Protocol v1 knows text alone. */
export interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

/**
 * What a tool answers. `Structured` is typed from the tool's output schema; `IsError` tells an error from a success.
 *
 * The Runner's bounds apply: at most 32 pieces, 512 KiB in all, and no control character in a text but
 * tab, line feed and carriage return (a terminal colour code makes the whole result invalid).
 * Source: docs/reference/native-plugin-protocol.md.
 */
export interface ToolResult<Structured extends object = object, IsError extends boolean = boolean> {
  readonly content: readonly TextContent[];
  readonly structuredContent: Structured;
  readonly isError: IsError;
}

/** A success: `text` for whoever reads, `structuredContent` for whoever computes. */
export function textResult(text: string): ToolResult<Record<string, never>, false>;
export function textResult<const Structured extends object>(
  text: string,
  structuredContent: Structured,
): ToolResult<Structured, false>;
export function textResult(text: string, structuredContent: object = {}): ToolResult<object, false> {
  return { content: [{ type: 'text', text }], structuredContent, isError: false };
}

/**
 * A failure that is known: the tool ended, and this is how. A tool that cannot know how it ended throws instead.
 * The structured content must fit the output schema all the same.
 */
export function errorResult(text: string): ToolResult<Record<string, never>, true>;
export function errorResult<const Structured extends object>(
  text: string,
  structuredContent: Structured,
): ToolResult<Structured, true>;
export function errorResult(text: string, structuredContent: object = {}): ToolResult<object, true> {
  return { content: [{ type: 'text', text }], structuredContent, isError: true };
}
