import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { spawnAsNobody } from '@fairlead/testing';

/** A program of `fixtures/` in a process of its own: its lines, its end. */
export type Program = {
  readonly child: ChildProcess;
  /** The next line it prints; rejects when it ends without one. */
  line(): Promise<string>;
  say(text: string): void;
  kill(): Promise<void>;
  ended(): Promise<number | null>;
};

export function startProgram(
  name: string,
  args: readonly string[],
  options: {
    readonly nobody?: boolean;
    readonly maxFileBlocks?: number;
    /** Where compiled code is kept, for a program that is started many times. */
    readonly compileCache?: string;
  } = {},
): Program {
  const run = options.nobody === true ? spawnAsNobody : spawn;
  const command = [process.execPath, join(import.meta.dirname, 'fixtures', name), ...args];
  const limited =
    options.maxFileBlocks === undefined
      ? command
      : ['/bin/sh', '-c', `ulimit -f ${options.maxFileBlocks} && exec "$@"`, 'sh', ...command];
  const [program = '', ...rest] = limited;
  // A coverage folder belongs to the test's user; another one could only complain about it.
  const { NODE_V8_COVERAGE: _, NODE_DISABLE_COMPILE_CACHE: _off, ...others } = process.env;
  const plain = options.nobody === true ? others : process.env;
  const env =
    options.compileCache === undefined ? plain : { ...others, NODE_COMPILE_CACHE: options.compileCache };
  const child = run(program, rest, { stdio: ['pipe', 'pipe', 'inherit'], env });
  const end = once(child, 'close');
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('no pipes');
  stdin.on('error', () => undefined);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    child,
    async line() {
      const next = await lines.next();
      if (next.done === true) throw new Error(`${name} ended without another line`);
      return next.value;
    },
    say: (text) => void stdin.write(`${text}\n`),
    async kill() {
      child.kill('SIGKILL');
      await end;
    },
    async ended() {
      const [code] = await end;
      return code as number | null;
    },
  };
}
