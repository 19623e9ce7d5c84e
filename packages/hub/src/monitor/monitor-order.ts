/** The cells that the watched thread and its monitor share. */
export const ACTIVITY = Object.freeze({
  /** The number of the extension whose code the thread is in; 0 is none. */
  extension: 0,
  /** The last question that the watched thread answered. */
  answered: 1,
  cells: 2,
});

/** What the monitoring thread is started with. */
export interface MonitorOrder {
  readonly fairlead: 'monitor';
  /** See {@link ACTIVITY}. */
  readonly memory: SharedArrayBuffer;
  readonly cells: typeof ACTIVITY;
  readonly pollMs: number;
  /** How long the watched thread may leave a question unanswered. */
  readonly silenceMs: number;
  /** Where the sentence goes while the watched thread can write nothing; a file descriptor. */
  readonly descriptor: number;
}

/** What the watched thread is told: answer this question, or what kept you from answering is over. */
export type MonitorMessage =
  | { readonly ask: number }
  | { readonly blocked: number; readonly heldMs: number; readonly over: boolean };

/** What the monitor is told: who is behind a number. */
export interface NamedNumber {
  readonly number: number;
  readonly name: string;
}
