import type { CommandLineGiven } from './command-answer.ts';

type By = CommandLineGiven['by'];

/**
 * The lines of extensions' commands that run now, and who typed them: how a built-in's questions are asked with the rights of that
 * person. Of several of one command in one session each must have the right, because a question does not say which it belongs to.
 */
export class RunningCommands {
  readonly #lines = new Map<string, By[]>();

  /** Until what it returns is called. */
  add(session: string, command: string, by: By): () => void {
    const key = `${session} ${command}`;
    const lines = this.#lines.get(key) ?? [];
    this.#lines.set(key, lines);
    lines.push(by);
    return () => {
      const at = lines.indexOf(by);
      if (at >= 0) lines.splice(at, 1);
      if (lines.length === 0 && this.#lines.get(key) === lines) this.#lines.delete(key);
    };
  }

  /** False too where none runs. */
  allow(session: string, command: string, scope: string): boolean {
    const lines = this.#lines.get(`${session} ${command}`) ?? [];
    return lines.length > 0 && lines.every(({ scopes }) => scopes.includes(scope));
  }
}
