import { win32 } from 'node:path';
import { readVariable } from '../variables.ts';
import type { FileView } from './file-view.ts';
import { isWindowsImage } from './image.ts';
import type { ExecutableAnswer, ExecutableRequest } from './resolve-executable.ts';

const STARTABLE: ReadonlySet<string> = new Set(['.com', '.exe']);
const BATCH: ReadonlySet<string> = new Set(['.bat', '.cmd']);
const DEFAULT_PATHEXT = '.COM;.EXE;.BAT;.CMD';

/**
 * Windows: a name that ends in .exe, .com, .cmd or .bat is that file; any other gets the endings of PATHEXT, of which only these
 * four count, in its order, and as it is only if it is a program image. The first hit decides, and a batch file is refused:
 * it would need a shell.
 */
export async function findOnWindows(request: ExecutableRequest, fs: FileView): Promise<ExecutableAnswer> {
  const { command, cwd, env } = request;
  if (command === '') return { ok: false, code: 'plugin_executable_unavailable' };
  for (const stem of stems(command, cwd, env)) {
    const path = await firstHit(stem, env, fs);
    if (path === null) continue;
    return BATCH.has(ending(path))
      ? { ok: false, code: 'plugin_executable_unsupported' }
      : { ok: true, path };
  }
  return { ok: false, code: 'plugin_executable_unavailable' };
}

function stems(command: string, cwd: string, env: Readonly<Record<string, string>>): string[] {
  if (/[\\/]/.test(command) || /^[A-Za-z]:/.test(command)) return [win32.resolve(cwd, command)];
  const path = readVariable(env, 'PATH', 'win32') ?? '';
  return path
    .split(';')
    .map((folder) => folder.trim().replace(/^"(.*)"$/, '$1'))
    .filter((folder) => folder !== '')
    .map((folder) => win32.resolve(cwd, folder, command));
}

async function firstHit(
  stem: string,
  env: Readonly<Record<string, string>>,
  fs: FileView,
): Promise<string | null> {
  const own = ending(stem);
  if (STARTABLE.has(own) || BATCH.has(own)) return (await fs.isFile(stem)) ? stem : null;
  for (const added of endings(env)) if (await fs.isFile(stem + added)) return stem + added;
  if (!(await fs.isFile(stem))) return null;
  const head = await fs.head(stem);
  return head !== null && isWindowsImage(head) ? stem : null;
}

function endings(env: Readonly<Record<string, string>>): string[] {
  return (readVariable(env, 'PATHEXT', 'win32') ?? DEFAULT_PATHEXT)
    .split(';')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => STARTABLE.has(entry) || BATCH.has(entry));
}

function ending(path: string): string {
  return win32.extname(path).toLowerCase();
}
