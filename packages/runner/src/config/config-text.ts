import { readTextFile, type TextFile } from '@fairlead/base';
import { limits } from '../limits.ts';

type TextFault = Extract<TextFile, { readonly ok: false }>['fault'];

/** A configuration file's text, or why there is none. */
export type ConfigText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: TextFault; readonly localDetail: string };

const DETAILS = {
  absent: 'the file does not exist',
  not_ordinary: 'it is not an ordinary file',
  too_large: 'the file is larger than 1 MiB',
  not_utf8: 'the file is not UTF-8',
  unreadable: 'the file cannot be read',
} as const satisfies Record<TextFault, string>;

/** Reads one configuration file: an ordinary file of UTF-8, at most `configMaxBytes`. */
export async function readConfigText(path: string): Promise<ConfigText> {
  const file = await readTextFile(path, limits.configMaxBytes);
  return file.ok ? file : { ok: false, fault: file.fault, localDetail: DETAILS[file.fault] };
}
