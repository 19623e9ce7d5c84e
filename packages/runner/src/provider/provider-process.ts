import type { Clock } from '@fairlead/base';
import { type ProcessTree, StderrRing } from '@fairlead/process';
import type { RunnerLog } from '../log.ts';
import { type ConnectionEvents, ProviderConnection } from './provider-connection.ts';

export type ProviderProcessOptions = {
  readonly id: string;
  readonly tree: ProcessTree;
  readonly clock: Clock;
  readonly log: RunnerLog;
  readonly events: ConnectionEvents;
};

/** One started program: its connection, its stderr, and the one way to end its process tree. */
export class ProviderProcess {
  readonly connection: ProviderConnection;
  /** What it wrote to stderr last. Never leaves this machine. */
  readonly stderr = new StderrRing();
  readonly #options: ProviderProcessOptions;
  #ended: Promise<void> | null = null;

  constructor(options: ProviderProcessOptions) {
    this.#options = options;
    const { tree } = options;
    this.connection = new ProviderConnection(tree, options.clock, options.events);
    tree.stderr.on('data', (chunk: Buffer) => this.stderr.push(chunk));
  }

  /**
   * Ends the process tree. When this resolves, what it wrote last has been read (100 ms are allowed for that) and its
   * pipes are closed. Idempotent; never rejects.
   */
  end(): Promise<void> {
    this.#ended ??= this.#endOnce();
    return this.#ended;
  }

  async #endOnce(): Promise<void> {
    const { tree, log, id } = this.#options;
    try {
      const { survivors } = await tree.end();
      if (survivors > 0) log('warn', 'provider.survivors', { plugin: id, survivors });
    } catch {
      log('error', 'provider.end_failed', { plugin: id });
    }
  }
}
