import { spawn } from 'node:child_process';

/** One start of a program. */
export interface Program {
  /** Absolute, so that nothing is found by chance. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How it went. `code` is null when a signal ended it. */
export type ProgramEnd =
  | { readonly started: true; readonly code: number | null }
  | { readonly started: false };

/** Runs a program to its end. When `signal` is aborted it is killed. Never rejects. */
export type RunProgram = (program: Program, signal: AbortSignal) => Promise<ProgramEnd>;

/** Runs a program with no input, and with all that it prints dropped: foreign words go into no answer. */
export const runProgram: RunProgram = ({ command, args, cwd, env }, signal) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...env }, stdio: 'ignore', windowsHide: true });
    const kill = (): void => void child.kill('SIGKILL');
    const settle = (end: ProgramEnd): void => {
      signal.removeEventListener('abort', kill);
      resolve(end);
    };
    child.on('error', () => settle({ started: child.pid !== undefined, code: null }));
    child.on('exit', (code) => settle({ started: true, code }));
    signal.addEventListener('abort', kill);
    if (signal.aborted) kill();
  });
