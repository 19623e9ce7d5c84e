/** Something that takes bytes from outside, and what must hold whatever the bytes are. */
export type Target = {
  readonly name: string;
  /** What is held, for the person who reads the list. */
  readonly holds: string;
  /** Files whose coverage guides, relative to the clone; a folder stands for all below it. */
  readonly covers: readonly string[];
  /** What most inputs look like: decides how they are changed and made smaller. */
  readonly form: 'bytes' | 'text' | 'json';
  /** No input is longer. */
  readonly maxBytes: number;
  /** Where the search begins, beside the corpus. */
  seeds(): readonly (string | Uint8Array)[];
  /** Words that inputs are made of; those that stand quoted in the covered files are taken by themselves. */
  readonly words?: readonly string[];
  /** Most processor time of one input; more is a fault. The default is 1,000 ms. */
  readonly stepMs?: number;
  open(): Promise<OpenTarget>;
};

/** A target that is ready to take inputs. `run` throws where something does not hold. */
export type OpenTarget = {
  run(input: Uint8Array): void | Promise<void>;
  close?(): Promise<void>;
};

/** A promise that an input has broken. `promise` names it in a few words, the same for every such input. */
export class Broken extends Error {
  readonly promise: string;

  constructor(promise: string, detail = '') {
    super(detail === '' ? promise : `${promise}: ${detail}`);
    this.name = 'Broken';
    this.promise = promise;
  }
}

/** Throws `Broken` unless the condition holds. */
export function hold(condition: boolean, promise: string, detail?: () => string): asserts condition {
  if (!condition) throw new Broken(promise, detail?.().slice(0, 400));
}
