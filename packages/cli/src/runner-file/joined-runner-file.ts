import { stringify } from 'smol-toml';

/** The first `runner.toml` of a machine that has joined a gateway. Its token stands in a file of its own. */
export function joinedRunnerFile(runner: string, serverUrl: string): string {
  return [
    '# This machine as a Runner: which gateway it dials, and the programs that it serves there.',
    '# Each [[plugins.providers]] block is a program that is started with your rights: add only what you trust.',
    '',
    stringify({ client_id: runner, server_url: serverUrl }).trim(),
    '',
  ].join('\n');
}
