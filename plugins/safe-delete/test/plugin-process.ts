import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const PLUGIN = join(import.meta.dirname, '../src/plugin.ts');

/** Only catches hanging. */
const HANGING_MS = 30_000;

/** Runs the plugin in `cwd` over `requests` until its input ends. */
export function runPlugin(
  cwd: string,
  requests: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PLUGIN], {
    cwd,
    input: requests.map((request) => `${request}\n`).join(''),
    encoding: 'utf8',
    timeout: HANGING_MS,
    env: { ...process.env, HOME: '/nonexistent', XDG_DATA_HOME: '/nonexistent', ...env },
  });
  return { status, stdout, stderr };
}

/** The request that has `path` moved to the trash. */
export function call(path: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'safe_delete', arguments: { path } },
  });
}

/** The line that answers `call`. */
export function resultLine(
  text: string,
  structured: { outcome: string; path: string; backend?: string; errorCode?: string },
): string {
  const { outcome, path, backend = 'none', errorCode = '' } = structured;
  const result = {
    content: [{ type: 'text', text }],
    structuredContent: { outcome, path, backend, errorCode },
    isError: errorCode !== '',
  };
  return `${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n`;
}
