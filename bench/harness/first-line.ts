import type { Readable } from 'node:stream';
import type { PipedChild } from './child-set.ts';
import { within } from './deadline.ts';

const START_LIMIT_MS = 30_000;
const LINE_MAX_CHARACTERS = 64 * 1024;

/** The first line of a child's stdout, without its LF. Rejects when the child ends before or takes over 30 s. */
export function firstLine(child: PipedChild, what: string, signal?: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.once('error', reject);
  child.once('exit', (code, killed) =>
    reject(new Error(`${what} ended (${killed ?? code}) before it was ready`)),
  );
  collect(child.stdout, resolve, reject);
  return within(promise, START_LIMIT_MS, what, signal);
}

function collect(stdout: Readable, resolve: (line: string) => void, reject: (error: Error) => void): void {
  let text = '';
  const take = (chunk: Buffer) => {
    text += chunk.toString('utf8');
    const end = text.indexOf('\n');
    if (end < 0 && text.length < LINE_MAX_CHARACTERS) return;
    stdout.off('data', take);
    stdout.resume();
    if (end < 0) reject(new Error('the first line does not end'));
    else resolve(text.slice(0, end));
  };
  stdout.on('data', take);
}
