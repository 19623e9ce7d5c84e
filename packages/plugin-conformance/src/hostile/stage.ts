/** What a scenario may do to the world. The machine's own stage is in `machine-stage.ts`; tests bring another. */
export type Stage = {
  /** Writes to stdout at once: the bytes are in the pipe before anything else happens. */
  out(data: string | Uint8Array): void;
  err(data: string): void;
  exit(code: number): void;
  closeStdout(): void;
  closeStdin(): void;
  stopReading(): void;
  /** From here on SIGTERM is not heard. */
  ignoreSigterm(): void;
  later(delayMs: number, then: () => void): void;
  /** Starts another program. Its process, or the one that it prints, is noted; `ended` comes with its end. */
  spawn(command: string, args: readonly string[], options: SpawnedProgram): void;
  /** Binds a port that is always the same for processes of one folder. `then` hears whether it was free. */
  bindPort(then: (isBound: boolean) => void): void;
  /** True where this file is there. */
  exists(path: string): boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Different in each process. */
  readonly ownMark: string;
  /** Where it writes down what it sees, if anywhere. */
  readonly record: string | null;
};

export type SpawnedProgram = {
  readonly detached?: boolean;
  /** It holds this plugin's stdout open. */
  readonly holdsStdout?: boolean;
  /** The number to note is what it prints, not its own. */
  readonly printsPid?: boolean;
  readonly ended?: () => void;
};
