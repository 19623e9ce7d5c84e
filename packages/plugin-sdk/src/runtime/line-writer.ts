import { type PluginSdkError, pluginSdkError } from '../errors.ts';

/** Where response lines go: any Node `Writable`. */
export interface PluginOutput {
  write(text: string): boolean;
  on(event: 'drain' | 'error' | 'close', listener: (cause?: Error) => void): unknown;
}

/** Writes lines one after the other, and knows when nobody reads them any more. */
export interface LineWriter {
  /** Undefined when the stream took the line at once; else settles when it can take the next one. */
  write(line: string): Promise<void> | undefined;
  /** Whether the stream has closed or failed. */
  readonly gone: boolean;
}

/** Whether an error only says that the other side went away, which is an ordinary end. */
export function saysPeerIsGone(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'EPIPE' || code === 'ECONNRESET';
}

/**
 * Watches `stream` from now on: an `error` event without a listener would end the process with a stack trace.
 *
 * @param onGone Called once when the stream closed or failed; `failure` says how unless the reader just went away.
 */
export function lineWriter(stream: PluginOutput, onGone: (failure?: PluginSdkError) => void): LineWriter {
  let gone = false;
  let proceed: (() => void) | undefined;

  function release(): void {
    proceed?.();
    proceed = undefined;
  }

  function leave(cause?: Error): void {
    if (!gone) {
      gone = true;
      const quiet = cause === undefined || saysPeerIsGone(cause);
      onGone(quiet ? undefined : pluginSdkError('sdk_stream_failed', Error, { cause }));
    }
    release();
  }

  stream.on('drain', release);
  stream.on('error', leave);
  stream.on('close', () => leave());

  return {
    write(line) {
      if (gone || stream.write(line)) return undefined;
      // A stream that fails while it is written to is not drained any more.
      return gone ? undefined : new Promise((resolve) => (proceed = resolve));
    },
    get gone() {
      return gone;
    },
  };
}
