import type { spawn as nodeSpawn } from 'node:child_process';
import { type Clock, systemClock } from '@fairlead/base';
import { finishes } from '../finishes.ts';
import { childLimits, IMAGE_HEAD_BYTES } from '../limits.ts';

/** A program with its arguments. */
export type CommandLine = { readonly path: string; readonly args: readonly string[] };

/** The whole machine as it is, but a process numbering of its own, whose end ends everybody in it. */
const NAMESPACE = Object.freeze([
  '--dev-bind',
  '/',
  '/',
  '--unshare-pid',
  '--proc',
  '/proc',
  '--die-with-parent',
]);

/** `command` inside a process namespace made by bubblewrap. */
export function inNamespace(bubblewrap: string, command: CommandLine, cwd: string): CommandLine {
  return { path: bubblewrap, args: [...NAMESPACE, '--chdir', cwd, '--', command.path, ...command.args] };
}

/** Makes and leaves such a namespace once. Null when that works within 5 s, else why not, for local eyes. */
export async function namespaceFault(
  bubblewrap: string,
  spawn: typeof nodeSpawn,
  clock: Clock = systemClock(),
): Promise<string | null> {
  const proof = spawn(bubblewrap, [...NAMESPACE, '--', 'true'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  proof.stderr?.setEncoding('latin1').on('data', (chunk: string) => {
    if (said.length < IMAGE_HEAD_BYTES * 4) said += chunk;
  });
  const finish = await finishes(proof, childLimits.namespaceMs, clock);
  switch (finish.kind) {
    case 'ended':
      return finish.code === 0 ? null : `bubblewrap is not permitted here: ${said.trim()}`;
    case 'not_started':
      return `bubblewrap could not be started: ${finish.reason}`;
    case 'too_slow':
      return `bubblewrap made no namespace within ${childLimits.namespaceMs / 1000} s`;
  }
}
