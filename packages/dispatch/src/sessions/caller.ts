/** Who waits for the answer of an invocation. It is asked only where a call is held or goes on for long. */
export type Caller = {
  /** What the owner of its token called it: one line that a model or a person may be shown. */
  readonly name?: string;
  /** False once its token has ended. */
  isLive(): boolean;
  /**
   * Calls `listener` once when nobody waits for the answer any more or the token has ended, at once where that is so already. Returns the
   * way not to be called.
   */
  onGone(listener: () => void): () => void;
};
