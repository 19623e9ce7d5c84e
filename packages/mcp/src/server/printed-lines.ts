import { StderrRing } from '@fairlead/process';
import { wireLimits } from '../limits.ts';

/** What a server's program printed last, and whether its stdout is kept clean. */
export class PrintedLines {
  readonly #ring = new StderrRing();
  readonly #told: (line: string) => void;
  #stray = 0;

  /** @param told Hears the first lines on stdout that are no message. */
  constructor(told: (line: string) => void) {
    this.#told = told;
  }

  push(from: 'stdout' | 'stderr', line: string): void {
    this.#ring.push(Buffer.from(`${from === 'stdout' ? '[stdout] ' : ''}${line}\n`));
    if (from === 'stderr') return;
    this.#stray += 1;
    if (this.#stray <= wireLimits.strayLines) this.#told(line);
  }

  /** Lines on stdout that were no message. */
  get stray(): number {
    return this.#stray;
  }

  text(): string {
    return this.#ring
      .lines()
      .map(({ text, truncated }) => `${text}${truncated ? '…' : ''}\n`)
      .join('');
  }
}
