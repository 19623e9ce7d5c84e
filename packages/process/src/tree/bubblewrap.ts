import type { spawn as nodeSpawn } from 'node:child_process';
import { IMAGE_HEAD_BYTES } from '../limits.ts';

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

/** Makes and leaves such a namespace once. Null when that works, else why not, for local eyes. */
export function namespaceFault(bubblewrap: string, spawn: typeof nodeSpawn): Promise<string | null> {
  return new Promise((resolve) => {
    const proof = spawn(bubblewrap, [...NAMESPACE, '--', 'true'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    proof.stderr?.setEncoding('latin1').on('data', (chunk: string) => {
      if (said.length < IMAGE_HEAD_BYTES * 4) said += chunk;
    });
    proof.on('error', (error) => resolve(`bubblewrap could not be started: ${error.message}`));
    proof.on('close', (code) =>
      resolve(code === 0 ? null : `bubblewrap is not permitted here: ${said.trim()}`),
    );
  });
}
