import { FILE_NAME_MAX_BYTES } from './limits.ts';

/** What an info file's name ends with. Source: https://specifications.freedesktop.org/trash-spec/latest/, "Contents of a trash directory". */
export const INFO_SUFFIX = '.trashinfo';

/**
 * The text of an info file.
 *
 * @param path Where the thing was: absolute.
 * @param deletedAt Written in local time, to the second.
 */
export function trashInfo(path: string, deletedAt: Date): string {
  // encodeURIComponent leaves exactly the unreserved characters of RFC 2396, which the specification names.
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `[Trash Info]\nPath=${encoded}\nDeletionDate=${localTime(deletedAt)}\n`;
}

function localTime(date: Date): string {
  const day = [padded(date.getFullYear(), 4), padded(date.getMonth() + 1, 2), padded(date.getDate(), 2)];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => padded(part, 2));
  return `${day.join('-')}T${time.join(':')}`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/**
 * A name in the trash: the thing's own, with `mark` before its extension when there is one. Cut so that the info file's
 * name, which is longer, still fits.
 */
export function trashName(name: string, mark: string): string {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const insert = mark === '' ? '' : `.${mark}`;
  const room = FILE_NAME_MAX_BYTES - Buffer.byteLength(INFO_SUFFIX) - Buffer.byteLength(insert);
  const roomForStem = room - Buffer.byteLength(extension);
  // An extension that leaves no room for a name is none.
  if (roomForStem < 1) return `${cut(name, room)}${insert}`;
  return `${cut(stem, roomForStem)}${insert}${extension}`;
}

function cut(text: string, maxBytes: number): string {
  let kept = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
