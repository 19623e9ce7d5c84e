import type { TreeOwner, Watchdog } from '@fairlead/process';

/** A watchdog that is a process from the first program on that it is asked about: most turns start none. */
export class LateWatchdog implements TreeOwner, AsyncDisposable {
  readonly #start: () => Watchdog;
  #started: Watchdog | undefined;

  constructor(start: () => Watchdog) {
    this.#start = start;
  }

  /** Asked for before a program is started, since it stands in its environment. */
  get token(): string {
    return this.#own().token;
  }

  get pid(): number | null {
    return this.#own().pid;
  }

  get processes(): Watchdog['processes'] {
    return this.#own().processes;
  }

  get pipes(): Watchdog['pipes'] {
    return this.#own().pipes;
  }

  watch(pid: number): void {
    this.#own().watch(pid);
  }

  forget(pid: number): void {
    this.#own().forget(pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started?.close();
  }

  #own(): Watchdog {
    this.#started ??= this.#start();
    return this.#started;
  }
}
