import { isAbsolute, join, resolve } from 'node:path';
import { hostError } from '../../errors.ts';

/** Where a skill is installed from. */
export type SkillSource =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'git';
      readonly url: string;
      /** A branch, tag or commit; absent is the repository's own choice. */
      readonly ref?: string;
      /** The skill's folder in it; absent is the whole of it. */
      readonly inner?: string;
    };

export interface SourceWords {
  readonly source: string;
  readonly ref?: string;
  readonly inner?: string;
}

const URL_FORM = /^(?:https|ssh|file):\/\/[^\s\p{Cc}]+$/u;
const SCP_FORM = /^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^\s\p{Cc}]+$/u;
/** Names who asks: for ssh that is a name, for https it may be a token. */
const HTTPS_USER = /^https:\/\/[^/?#]*@/;
const QUERY = /^(?:https|ssh|file):\/\/[^?#]*[?#]/;
const REF = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,199}$/;

/**
 * What the words of a person mean: a repository where they are its address or name a ref, else a folder. Nothing that git would take for an option, and
 * no transport that runs a program. Throws `skill_source_invalid`.
 */
export function skillSource({ source, ref, inner }: SourceWords, home: string | undefined): SkillSource {
  const isAddress = URL_FORM.test(source) || SCP_FORM.test(source);
  if (!isAddress && (/^[a-z][a-z0-9+.-]*:/i.test(source) || source.startsWith('-')))
    throw hostError('skill_source_invalid', 'addresses begin with https://, ssh:// or file://');
  if (/^(?:https|ssh):\/\/[^/@]*:[^/@]*@/.test(source))
    throw hostError('skill_source_invalid', 'no password is kept: leave it out of the address');
  if (HTTPS_USER.test(source) || QUERY.test(source))
    throw hostError(
      'skill_source_invalid',
      'no token is kept: an https address has no user, and no address has a query or a fragment',
    );
  if (ref !== undefined && (!REF.test(ref) || ref.includes('..') || ref.endsWith('.lock')))
    throw hostError('skill_source_invalid', 'a ref is a branch, a tag or a commit');
  if (inner !== undefined && (isAbsolute(inner) || inner.split(/[\\/]/).includes('..')))
    throw hostError('skill_source_invalid', 'the folder stands inside the repository');
  if (!isAddress && ref === undefined) return { kind: 'folder', path: folderOf(source, home, inner) };
  const url = isAddress ? source : `file://${folderOf(source, home)}`;
  return {
    kind: 'git',
    url,
    ...(ref === undefined ? {} : { ref }),
    ...(inner === undefined ? {} : { inner }),
  };
}

function folderOf(path: string, home: string | undefined, inner = ''): string {
  const place = home !== undefined && path.startsWith('~/') ? join(home, path.slice(2)) : path;
  if (!isAbsolute(place) || place.includes('\0'))
    throw hostError('skill_source_invalid', 'a folder is named by its absolute path');
  return resolve(place, inner);
}
