/** The sessions that an invocation may be recorded in, implemented by the host. Without one every id is unknown. */
export type SessionRecorder = {
  exists(sessionId: string): Promise<boolean>;
};
