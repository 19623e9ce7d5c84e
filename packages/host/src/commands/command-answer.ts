import type { Certainty, Json } from '@fairlead/base';

/** What a line that began with `/` came to. A host command also says where to go on, or that somebody leaves. */
export type CommandAnswer =
  | {
      /** For people. */
      readonly text: string;
      /** The same for programs: what `--json` prints. */
      readonly data?: Json;
      /** The session that whoever typed the line goes on in. */
      readonly open?: string;
      /** Whoever typed the line wants to leave. */
      readonly quit?: true;
    }
  | {
      readonly error: {
        readonly code: string;
        readonly message: string;
        /** How the command is typed, where the line did not fit. */
        readonly usage?: string;
        /** What the code adds, such as the ids that a name may mean. */
        readonly detail?: Json;
        /** Whether anything of it happened, where that is known: a refused line began nothing. */
        readonly certainty?: Certainty;
      };
    };

/** A line that somebody typed in a session. */
export interface CommandLineGiven {
  readonly session: string;
  /** Begins with `/`. */
  readonly line: string;
  readonly by: CommandCaller;
  readonly signal?: AbortSignal;
  /** What an extension's command says while it runs. */
  readonly onProgress?: (text: string) => void;
}

/** Who typed it, and what the token behind it may do. */
export interface CommandCaller {
  /** `token:<id>` or `person:<token id>`. */
  readonly id: string;
  readonly scopes: readonly string[];
  readonly name?: string;
}
