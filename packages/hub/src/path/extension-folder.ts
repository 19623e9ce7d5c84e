import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, type Json, parseJson } from '@fairlead/base';
import { extensionError } from '@fairlead/extension/runtime';
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

/**
 * Finds the module of an extension's folder: what `exports` (".") or `main` of its `package.json` name, else the first of the
 * usual places. Runs none of its code. Rejects with `extension_load_failed`, which says what was looked for.
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
  const found = await realpath(path).catch(() => undefined);
  if (found === undefined) throw refused('there is no such folder');
  if (!(await stat(found)).isDirectory()) throw refused('it is no folder; name the folder of the extension');
  return found;
}

async function moduleOfPackage(folder: string): Promise<string | undefined> {
  const bytes = await readFile(join(folder, 'package.json')).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const parsed = parseJson(bytes, pathLimits.packageBounds);
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
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

function refused(reason: string): Error {
  return extensionError('extension_load_failed', reason, { certainty: 'not_started' });
}
