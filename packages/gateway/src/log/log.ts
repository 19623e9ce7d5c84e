import type { Clock } from '@fairlead/base';
import { logLimits } from '../limits.ts';
import { redact } from './redact.ts';

/** How much a line matters: `error` needs a person, `warn` may, `info` is the course of things, `debug` is for us. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a line adds to its event. Never argument values, bodies or headers. */
export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined };

/** Writes one event. `event` is a fixed word with a dot, such as `runner.registered`. */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** Where lines go, and from which level on. */
export type LogOptions = {
  /** Takes one line with its line feed. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly level?: LogLevel;
};

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const SECRET_NAME = /authorization|secret|password|cookie|^token$|_token$/i;

/**
 * A log of JSON lines: `{at, level, event, …}`, `at` in milliseconds since 1970. Tokens, credentials and bindings are
 * taken out of every text, fields that are called like one are masked whole, a line is at most 8 KiB.
 */
export function createLog(options: LogOptions): Log {
  const least = RANK[options.level ?? 'info'];
  return (level, event, fields = {}) => {
    if (RANK[level] < least) return;
    const line = JSON.stringify({ at: options.clock.wallMs(), level, event, ...cleaned(fields) });
    if (Buffer.byteLength(line) < logLimits.lineBytes) options.write(`${line}\n`);
    else options.write(`${JSON.stringify({ at: options.clock.wallMs(), level, event, cut: true })}\n`);
  };
}

/** A log that writes nothing. */
export const silentLog: Log = () => undefined;

function cleaned(fields: LogFields): LogFields {
  const result: Record<string, LogFields[string]> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (SECRET_NAME.test(name)) result[name] = '[redacted]';
    else result[name] = typeof value === 'string' ? redact(value) : value;
  }
  return result;
}
