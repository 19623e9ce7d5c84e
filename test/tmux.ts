import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot, waitFor } from '@fairlead/testing';
import { personEnvironment } from './person-environment.ts';

const run = promisify(execFile);

type TestLike = { after(hook: () => unknown): void };

/** A shell in a terminal of tmux, as a person has one. */
export type TmuxShell = {
  /** Types characters as they stand. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux's names: `Enter`, `C-c`, `PPage`. */
  press(...keys: string[]): Promise<void>;
  /** Pastes, marked as a paste where the program asked for that. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** What stands on the screen. */
  screen(): Promise<string>;
  /** The screen and all that has scrolled away. */
  everything(): Promise<string>;
  /** Waits until the cursor stands in this column and row, from 0. */
  untilCursor(column: number, row: number): Promise<void>;
  /** Closes the terminal, as a connection that breaks does. */
  close(): Promise<void>;
  /** Waits until the screen shows it; gives the screen. */
  until(text: string | RegExp): Promise<string>;
  /** Waits until the screen does not show it any more. */
  untilGone(text: string | RegExp): Promise<string>;
};

/** Opens a terminal of a size with a plain shell; ended with the test. */
export async function openTmux(
  t: TestLike,
  options: { readonly folder: string; readonly columns: number; readonly rows: number },
): Promise<TmuxShell> {
  const { folder, columns, rows } = options;
  const sockets = join(folder, 'tmux');
  mkdirSync(sockets, { mode: 0o700 });
  const env = personEnvironment({
    TMUX_TMPDIR: sockets,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    PS1: 'shell> ',
    TERM: 'xterm',
  });
  delete env['TMUX'];
  const tmux = async (...args: string[]) => {
    const { stdout } = await run('tmux', ['-u', '-f', '/dev/null', ...args], { env, cwd: repositoryRoot });
    return stdout;
  };
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux('new-session', '-d', ...size, `PS1='shell> ' exec sh`);
  const close = async () => void (await tmux('kill-server').catch(() => {}));
  t.after(close);
  await tmux('set-option', '-g', 'escape-time', '0');
  const screen = () => tmux('capture-pane', '-p');
  const shows = (shown: string, text: string | RegExp) =>
    typeof text === 'string' ? shown.includes(text) : text.test(shown);
  const until = async (text: string | RegExp, isThere: boolean) => {
    let shown = '';
    const holds = async () => {
      shown = await screen();
      return shows(shown, text) === isThere;
    };
    await waitFor(holds, { what: `${isThere ? '' : 'the end of '}${text}`, timeoutMs: 30_000 }).catch(() => {
      throw new Error(`the screen ${isThere ? 'never showed' : 'kept'} ${text}:\n${shown}`);
    });
    return shown;
  };
  return {
    type: async (text) => void (await tmux('send-keys', '-l', text)),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    paste: async (text) => {
      await tmux('set-buffer', text);
      await tmux('paste-buffer', '-p', '-r');
    },
    resize: async (toColumns, toRows) => {
      await tmux('resize-window', '-x', String(toColumns), '-y', String(toRows));
    },
    screen,
    everything: () => tmux('capture-pane', '-p', '-S', '-'),
    close,
    untilCursor: async (column, row) => {
      const wanted = `${column} ${row}\n`;
      const holds = async () => (await tmux('display-message', '-p', '#{cursor_x} #{cursor_y}')) === wanted;
      await waitFor(holds, { what: `the cursor at ${wanted}`, timeoutMs: 30_000 });
    },
    until: (text) => until(text, true),
    untilGone: (text) => until(text, false),
  };
}
