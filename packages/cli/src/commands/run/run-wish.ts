/** What `fairlead run` was asked for. */
export type RunWish = {
  readonly text: string;
  /** The name or id of the session to go on in; a name that no session has makes one. */
  readonly session?: string;
  readonly model?: string;
  readonly agent?: string;
  /** The folder of a new session. */
  readonly workspace: string;
  readonly approve?: 'all' | readonly string[];
  readonly timeoutSecs?: number;
};
