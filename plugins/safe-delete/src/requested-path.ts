import type { RejectCode } from './errors.ts';
import { PATH_MAX_CHARACTERS } from './limits.ts';

/** How paths are written on a machine. */
export type PathStyle = 'posix' | 'windows';

/** The names that lead from the root to what shall go, or why there are none. */
export type RequestedPath =
  | { readonly ok: true; readonly names: readonly [string, ...string[]] }
  | { readonly ok: false; readonly code: RejectCode };

/**
 * Reads a path as text, before anything is looked at. Both styles of an absolute path are refused everywhere: on the wrong
 * machine one would name nothing, and "nothing is there" would be a success.
 */
export function readRequestedPath(path: string, style: PathStyle): RequestedPath {
  if (path === '' || [...path].length > PATH_MAX_CHARACTERS || path.includes('\0') || !path.isWellFormed()) {
    return refused('invalid_path');
  }
  if (isAbsolute(path, style)) return refused('absolute_path_forbidden');
  const parts = path.split(style === 'windows' ? /[\\/]/ : '/');
  if (parts.includes('..')) return refused('parent_traversal_forbidden');
  const names = parts.filter((part) => part !== '' && part !== '.');
  if (style === 'windows' && !names.every(isWindowsName)) return refused('invalid_path');
  const [first, ...rest] = names;
  return first === undefined ? refused('root_delete_forbidden') : { ok: true, names: [first, ...rest] };
}

function refused(code: RejectCode): RequestedPath {
  return { ok: false, code };
}

function isAbsolute(path: string, style: PathStyle): boolean {
  return /^[\\/]|^[A-Za-z]:[\\/]/.test(path) || (style === 'windows' && /^[A-Za-z]:/.test(path));
}

// What Windows itself would read as something else than a file of that name: streams, wildcards, devices, and names whose last
// dots or spaces it drops.
function isWindowsName(name: string): boolean {
  if (/[<>:"|?*\u0000-\u001f]/.test(name) || /[. ]$/.test(name)) return false;
  return !/^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/i.test(name);
}
