import { posix } from 'node:path';
import type { FileView } from './file-view.ts';
import type { ExecutableAnswer, ExecutableRequest } from './resolve-executable.ts';

/** Linux and macOS: a bare name is looked up in PATH, the first executable regular file wins; anything with a slash is a path. */
export async function findOnUnix(request: ExecutableRequest, fs: FileView): Promise<ExecutableAnswer> {
  for (const path of candidates(request))
    if ((await fs.isFile(path)) && (await fs.mayExecute(path))) return { ok: true, path };
  return { ok: false, code: 'plugin_executable_unavailable' };
}

function candidates({ command, cwd, env }: ExecutableRequest): string[] {
  if (command.includes('/')) return [posix.resolve(cwd, command)];
  const path = Object.hasOwn(env, 'PATH') ? env['PATH'] : undefined;
  // `.` and `..` are folders, an empty name none at all.
  if (path === undefined || command === '' || command === '.' || command === '..') return [];
  // An empty entry means the current folder, as it does for every other program.
  return path.split(':').map((folder) => posix.resolve(cwd, folder, command));
}
