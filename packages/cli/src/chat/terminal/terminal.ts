import { StringDecoder } from 'node:string_decoder';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Clock, Timer } from '@fairlead/base';
import { chatLimits } from '../../limits.ts';
import { type Key, KeyDecoder } from './key-decoder.ts';

/** A terminal that is ours: bytes go through it raw until it is given back. */
export type Terminal = Disposable & {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
};

/** What a terminal tells. */
export type TerminalListener = {
  key(key: Key): void;
  resized(): void;
  /** The terminal went away. */
  gone(): void;
};

/** Pastes come marked from here on. */
const TAKE = '\u001b[?2004h';
const GIVE_BACK = '\u001b[?2004l\u001b[0m\u001b[?7h\u001b[?25h';

/** What of the process gives the terminal back when nothing else did. */
export type ExitSource = Pick<NodeJS.Process, 'on' | 'off'>;

/**
 * Takes a terminal, and gives it back when it is disposed or the process exits, in whatever way it does so. `lastWords`: what clears the screen then.
 */
export function takeTerminal(options: {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly clock: Clock;
  readonly listener: TerminalListener;
  readonly lastWords: () => string;
  readonly exit?: ExitSource;
}): Terminal {
  const { input, output, clock, listener, lastWords, exit = process } = options;
  const decoder = new StringDecoder('utf8');
  const keys = new KeyDecoder();
  let timer: Timer | undefined;
  let isOurs = true;
  const tell = (found: readonly Key[]) => {
    for (const key of found) listener.key(key);
  };
  const onData = (chunk: Buffer) => {
    timer?.cancel();
    tell(keys.feed(decoder.write(chunk)));
    if (keys.isPending)
      timer = clock.setTimer(chatLimits.escapeMs, () => tell(keys.flush()), { unref: true });
  };
  const onGone = () => listener.gone();
  const onResize = () => listener.resized();
  const giveBack = () => {
    if (!isOurs) return;
    isOurs = false;
    timer?.cancel();
    input.off('data', onData).off('end', onGone).off('error', onGone).off('close', onGone);
    output.off('resize', onResize);
    exit.off('exit', giveBack);
    output.write(`${lastWords()}${GIVE_BACK}`);
    try {
      input.setRawMode(false);
    } catch {
      // The terminal is gone: there is nothing to give back.
    }
    input.pause();
  };
  input.setRawMode(true);
  // A terminal that is gone says so once more when it is given back.
  input.on('error', () => {});
  output.on('error', onGone);
  input.on('data', onData).on('end', onGone).on('error', onGone).on('close', onGone);
  output.on('resize', onResize);
  exit.on('exit', giveBack);
  output.write(TAKE);
  input.resume();
  return {
    get columns() {
      return output.columns || 80;
    },
    get rows() {
      return output.rows || 24;
    },
    write: (text) => void output.write(text),
    [Symbol.dispose]: giveBack,
  };
}
