import { realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, type Json, parseJson, readTextFile } from '@fairlead/base';
import { hubError } from '../errors.ts';
import { pathLimits } from '../limits.ts';

/** Where an extension's code stands on this machine. Neither leaves the peer. */
export interface ExtensionFolder {
  /** Without links. */
  readonly folder: string;
  /** The module whose default export is the extension. */
  readonly module: URL;
}

/** Where the module is looked for when `package.json` names none, in this order. */
const USUAL_PLACES = [
  'src/extension.ts',
  'extension.ts',
  'dist/extension.js',
  'src/extension.js',
  'extension.js',
  'extension.mjs',
];

const FAULTS = {
  not_ordinary: 'is no ordinary file',
  too_large: 'is larger than 256 KiB',
  not_utf8: 'is not UTF-8',
  unreadable: 'may not be read',
} as const;

/**
 * Finds the module of an extension's folder: what `exports` (".") or `main` of its `package.json` name, else the first of the
 * usual places. Runs none of its code. Rejects with `extension_folder_invalid`, which says what was looked for.
 */
export async function findExtension(path: string): Promise<ExtensionFolder> {
  const folder = await realFolder(path);
  const named = await moduleOfPackage(folder);
  if (named !== undefined) {
    if (!isInside(folder, named))
      throw refused(`package.json names ${named}, which is outside of the folder`);
    if (!(await isFile(join(folder, named))))
      throw refused(`package.json names ${named}, and there is no such file (is it built?)`);
    return { folder, module: pathToFileURL(join(folder, named)) };
  }
  for (const place of USUAL_PLACES)
    if (await isFile(join(folder, place))) return { folder, module: pathToFileURL(join(folder, place)) };
  throw refused(
    `there is no module: package.json has no "exports" or "main", and none of ${USUAL_PLACES.join(', ')} is there`,
  );
}

async function realFolder(path: string): Promise<string> {
  try {
    const found = await realpath(path);
    if ((await stat(found)).isDirectory()) return found;
  } catch (error) {
    throw isMissing(error) ? refused('there is no such folder') : unreadable('the folder', error);
  }
  throw refused('it is no folder');
}

async function moduleOfPackage(folder: string): Promise<string | undefined> {
  // Bounded, and never waiting: whatever stands under that name.
  const file = await readTextFile(join(folder, 'package.json'), pathLimits.packageBounds.maxBytes);
  if (!file.ok) {
    if (file.fault === 'absent') return undefined;
    throw refused(
      `its package.json ${FAULTS[file.fault]}${file.systemCode === undefined ? '' : ` (${file.systemCode})`}`,
    );
  }
  const parsed = parseJson(Buffer.from(file.text), pathLimits.packageBounds);
  if (!parsed.ok || !isJsonObject(parsed.value)) throw refused('its package.json cannot be read');
  const { exports, main } = parsed.value;
  return exportOf(exports) ?? (typeof main === 'string' ? main : undefined);
}

/** `"./x.js"`, or the "." of a map of paths, or the default of a map of conditions. */
function exportOf(exports: Json | undefined): string | undefined {
  if (typeof exports === 'string') return exports;
  if (exports === undefined || !isJsonObject(exports)) return undefined;
  const { '.': root, import: imported, node, default: fallback } = exports;
  return exportOf(root) ?? exportOf(node) ?? exportOf(imported) ?? exportOf(fallback);
}

function isInside(folder: string, path: string): boolean {
  const inner = relative(folder, resolve(folder, path));
  return inner !== '' && inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw unreadable(`its ${basename(path)}`, error);
  }
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Something is there, and the system does not let us read it: that is not the same as nothing. */
function unreadable(what: string, error: unknown): Error {
  return refused(`${what} cannot be read: ${codeOf(error)}`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** Why a folder is none of an extension. */
function refused(reason: string): Error {
  return hubError('extension_folder_invalid', reason);
}
