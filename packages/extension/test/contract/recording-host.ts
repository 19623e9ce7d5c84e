import type { Json } from '@fairlead/extension';
import type { Ask, CallRequest, HostSide, LogLine } from '@fairlead/extension/runtime';

/** A host that answers as a test says, and remembers what it was asked. */
export class RecordingHost implements HostSide {
  readonly asks: { readonly ask: Ask; readonly caller: CallRequest | undefined }[] = [];
  readonly lines: LogLine[] = [];
  readonly changes: string[] = [];
  answer: (ask: Ask, caller: CallRequest | undefined) => Json | Promise<Json> = () => null;
  readonly #waiting = new Set<() => void>();

  ask(ask: Ask, caller: CallRequest | undefined): Json | Promise<Json> {
    this.asks.push({ ask, caller });
    this.#tell();
    return this.answer(ask, caller);
  }

  log(line: LogLine): void {
    this.lines.push(line);
    this.#tell();
  }

  changed(instance: string): void {
    this.changes.push(instance);
    this.#tell();
  }

  get messages(): readonly string[] {
    return this.lines.map(({ message }) => message);
  }

  /** Settles when something that was told here makes the condition true. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!condition()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  #tell(): void {
    for (const look of [...this.#waiting]) look();
  }
}
