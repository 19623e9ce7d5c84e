import { InvalidArgumentError, Option } from 'commander';
import { journalLimits, logLimits } from './limits.ts';

/** A flag that takes a value. A blank one is a variable that was not set in somebody's script. */
export function valueFlag(flags: string, description: string): Option {
  return new Option(flags, description).argParser(notBlank);
}

/** Refuses a value that is empty or blank. */
export function notBlank(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
  return value;
}

/** `--port`. */
export function portFlag(): Option {
  const description = 'port to listen on; 0 takes a free one (FAIRLEAD_PORT)';
  return new Option('--port <port>', description).argParser((value: string) => {
    const port = Number(value);
    if (!/^\d{1,5}$/.test(value) || port > 65_535) {
      throw new InvalidArgumentError('a port is a number from 0 to 65535');
    }
    return port;
  });
}

/** `--lines`. */
export function linesFlag(): Option {
  const description = `how many of the newest lines (default: ${logLimits.shownLines})`;
  return new Option('-n, --lines <count>', description).argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    const count = Number(value);
    if (!/^\d{1,7}$/.test(value) || count > logLimits.shownLinesMax) {
      throw new InvalidArgumentError(`a number from 0 to ${logLimits.shownLinesMax}`);
    }
    return count;
  });
}

/** `--limit` of `journal`. */
export function limitFlag(): Option {
  const description = `how many entries, 1 to ${journalLimits.entriesMax} (default: ${journalLimits.entries})`;
  return new Option('--limit <count>', description).argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    const count = Number(value);
    if (!/^[1-9]\d{0,2}$/.test(value) || count > journalLimits.entriesMax) {
      throw new InvalidArgumentError(`a number from 1 to ${journalLimits.entriesMax}`);
    }
    return count;
  });
}

/** `--certainty` of `journal`. `unknown` is short for `outcome_unknown`. */
export function certaintyFlag(): Option {
  const words = ['unknown', 'outcome_unknown', 'completed', 'not_started'];
  const description = 'only calls of which this is what is known now: unknown, completed or not_started';
  return new Option('--certainty <word>', description).argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    if (!words.includes(value)) throw new InvalidArgumentError(`one of ${words.join(', ')}`);
    return value;
  });
}

/** A flag that may be given several times. */
export function listFlag(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, earlier: readonly string[] = []) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    return [...earlier, value];
  });
}

/** `--timeout-secs`. */
export function timeoutSecsFlag(): Option {
  const description = 'seconds for each answer, 1 to 120 (default: 30)';
  return new Option('--timeout-secs <secs>', description).argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    const secs = Number(value);
    if (!/^\d{1,3}$/.test(value) || secs < 1 || secs > 120) {
      throw new InvalidArgumentError('a number of seconds from 1 to 120');
    }
    return secs;
  });
}

export const stateDirFlag = (): Option =>
  valueFlag('--state-dir <dir>', 'state directory (FAIRLEAD_STATE_DIR)');
export const jsonFlag = (): Option => new Option('--json', 'print one line of JSON on stdout');
export const proxyFlag = (): Option =>
  valueFlag('--proxy <url>', 'http proxy to go through; never for this machine itself');
export const noSystemProxyFlag = (): Option =>
  new Option('--no-system-proxy', 'leave HTTP_PROXY, HTTPS_PROXY and ALL_PROXY alone');
