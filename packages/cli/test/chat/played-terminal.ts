import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';

/** A terminal that a test types on, and whose writes it reads. */
export function playedTerminal({ columns = 80, rows = 24 } = {}) {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void raw.push(isRaw),
  });
  let written = '';
  const output = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  output.on('data', (chunk: Buffer) => {
    written += chunk.toString('utf8');
  });
  return {
    input: input as unknown as ReadStream,
    output: output as unknown as WriteStream,
    raw,
    type: (text: string) => void input.write(text),
    resize: (size: { readonly columns: number; readonly rows: number }) => {
      Object.assign(output, size);
      output.emit('resize');
    },
    hangUp: () => void input.end(),
    written: () => written,
  };
}

/** What of a process a chat listens to. */
export function playedProcess() {
  const source = new EventEmitter();
  return {
    source: source as unknown as Pick<NodeJS.Process, 'on' | 'off'>,
    emit: (event: string) => void source.emit(event),
    listeners: () => source.eventNames().length,
  };
}
