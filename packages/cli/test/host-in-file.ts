import type { ServerFile } from '../src/state/server-file.ts';

/** What `server.json` says of a host at this address whose process is this one; `serve` unless told otherwise. */
export function hostAt(
  url: string,
  {
    command = 'serve',
    runner = null,
    config = null,
  }: {
    readonly command?: 'up' | 'serve';
    readonly runner?: string | null;
    readonly config?: string | null;
  } = {},
): ServerFile {
  return {
    url,
    pid: process.pid,
    startedAtMs: 1,
    version: '0.1.0',
    runner,
    startedWith: { command, bind: null, port: 0, allowRemote: false, config, runnerConfig: null },
  };
}
