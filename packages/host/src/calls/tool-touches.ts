/** Which arguments of one tool name what it touches. An argument may be a text or a list of texts. */
export interface TouchedArguments {
  /** Files or folders that are read; a relative one is meant from the workspace. */
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** A command line, or its words as a list. */
  readonly command?: string;
  /** The folder that the command runs in. */
  readonly folder?: string;
  readonly url?: string;
  /** The method of the request; where it is absent, GET. */
  readonly method?: string;
  /** The argument that says what is done, and the words of it that only look. */
  readonly looks?: { readonly argument: string; readonly words: readonly string[] };
  /** Addresses of which it needs one, whatever its arguments are. */
  readonly needsOneOf?: readonly { readonly url: string; readonly method: string }[];
}

/**
 * Which arguments of built-in tools name paths, commands, addresses, by `extension/tool`: grants judge them before anybody is asked, and
 * whoever opens them asks again. A tool that does not stand here touches nothing that grants could judge.
 */
export type ToolTouches = { readonly [tool: string]: TouchedArguments };
