import process from 'node:process';
import type { Plugin } from '../authoring/plugin.ts';
import { FAILED_EXIT_MS } from '../limits.ts';
import { servePlugin } from './serve-plugin.ts';

/**
 * Serves the plugin on this process's standard input and output. Call it once, at the end of the plugin's main file.
 *
 * From then on standard output belongs to the protocol: `console.log` and whatever else is written there goes to
 * standard error instead, where the Runner keeps it. What was written before breaks the protocol.
 *
 * When standard input ends, or nobody reads standard output any more, the plugin ends with exit code 0 as soon as
 * nothing keeps the process busy. When a tool throws it ends with exit code 1, after at most one second.
 */
export function runPlugin(plugin: Plugin): void {
  const { stdin, stdout, stderr } = process;
  const output = { write: stdout.write.bind(stdout), on: stdout.on.bind(stdout) };
  stdout.write = stderr.write.bind(stderr);
  // Losing the reader of diagnostics is no reason to end.
  stderr.on('error', () => {});
  servePlugin(plugin, { input: stdin, output, error: stderr }).catch(() => {
    process.exitCode = 1;
    stdin.destroy();
    setTimeout(() => process.exit(), FAILED_EXIT_MS).unref();
  });
}
