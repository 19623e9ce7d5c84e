import type { Random } from '@fairlead/base';
import { s } from '@fairlead/extension';
import { callerOf, defineBuiltin } from '../define-builtin.ts';
import { allowed, toolFault } from '../errors.ts';
import { fsLimits } from '../limits.ts';
import { type Edit, editText } from './edit-text.ts';
import { putInPlace } from './put-in-place.ts';
import { type FileLines, readLines } from './read-lines.ts';
import { openRegularFile } from './regular-file.ts';

/** Reading, writing and editing files within the grants: every path that is opened is the one that the host has judged. */
export const fs = defineBuiltin({
  name: 'fs',
  version: '1.0.0',
  open: ({ peer }) => ({ peer }),
  tools: {
    read_file: {
      about: `Reads a text file, or a range of its lines: at most ${fsLimits.shownMax} characters, and where to read on.`,
      args: {
        path: s.string('Relative to the workspace, or absolute'),
        offset: s.integer({ default: 1, minimum: 1, description: 'The first line to read, counted from 1' }),
        limit: s.optional(s.integer({ minimum: 1, description: 'How many lines to read' })),
      },
      effect: 'read',
      async run({ path, offset, limit }, ctx) {
        const real = await allowed(ctx.state.peer.path(callerOf(ctx, 'read_file'), 'read', path));
        const { file } = await openRegularFile(real);
        try {
          const range = limit === undefined ? { offset } : { offset, limit };
          return shownLines(await readLines(file, range, ctx.signal), offset);
        } finally {
          await file.close();
        }
      },
    },
    write_file: {
      about: 'Writes a whole file in place of what stands there. Folders on the way are made.',
      args: {
        path: s.string('Relative to the workspace, or absolute'),
        content: s.string('All that the file is to hold'),
      },
      risk: 'medium',
      approval: 'unless_auto_approved',
      async run({ path, content }, ctx) {
        const { peer } = ctx.state;
        const real = await allowed(peer.path(callerOf(ctx, 'write_file'), 'write', path));
        await putInPlace({ path: real, content, random: peer.random, signal: ctx.signal });
        return `Wrote ${counted(Buffer.byteLength(content), 'byte')} to ${path}`;
      },
    },
    edit_file: {
      about:
        'Changes places of a text file. Each old_text must occur exactly once in the file as it stands; when one does not, nothing is written.',
      args: {
        path: s.string('Relative to the workspace, or absolute'),
        old_text: s.optional(s.string('The text to replace, for a single edit')),
        new_text: s.optional(s.string('What takes its place')),
        edits: s.optional(
          s.array(s.object({ old_text: s.string(), new_text: s.string() }), {
            minItems: 1,
            maxItems: fsLimits.edits,
            description: 'Several edits at once, all or none',
          }),
        ),
      },
      risk: 'medium',
      approval: 'unless_auto_approved',
      async run({ path, ...given }, ctx) {
        const { peer } = ctx.state;
        const caller = callerOf(ctx, 'edit_file');
        const edits = editsOf(given);
        const read = await allowed(peer.path(caller, 'read', path));
        const real = await allowed(peer.path(caller, 'write', path));
        if (read !== real) throw toolFault('not_started', 'file_changed');
        const lineDelta = await editFile(real, edits, { random: peer.random, signal: ctx.signal });
        const sign = lineDelta > 0 ? '+' : '';
        return `Made ${counted(edits.length, 'replacement')} in ${path} (${sign}${counted(lineDelta, 'line')})`;
      },
    },
  },
});

function editsOf(given: {
  readonly old_text?: string;
  readonly new_text?: string;
  readonly edits?: readonly Edit[];
}): readonly Edit[] {
  const { old_text, new_text, edits } = given;
  if (edits !== undefined && old_text === undefined && new_text === undefined) return edits;
  if (edits === undefined && old_text !== undefined && new_text !== undefined)
    return [{ old_text, new_text }];
  throw toolFault('not_started', 'edits_invalid');
}

async function editFile(
  path: string,
  edits: readonly Edit[],
  { random, signal }: { readonly random: Random; readonly signal: AbortSignal },
): Promise<number> {
  const { file, stats } = await openRegularFile(path);
  let original: string;
  try {
    if (stats.size > fsLimits.editedMaxBytes) throw toolFault('not_started', 'file_too_large');
    original = textOf(await file.readFile());
  } finally {
    await file.close();
  }
  const { text, lineDelta } = editText(original, edits);
  await putInPlace({
    path,
    content: text,
    random,
    signal,
    check(now) {
      const isSame =
        now?.ino === stats.ino &&
        now.dev === stats.dev &&
        now.size === stats.size &&
        now.mtimeMs === stats.mtimeMs;
      if (!isSame) throw toolFault('not_started', 'file_changed');
    },
  });
  return lineDelta;
}

function textOf(bytes: Buffer): string {
  try {
    // With its byte order mark, which is written back.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw toolFault('not_started', 'file_not_text');
  }
}

/** The lines as a model reads them, and below them what it could not see. */
function shownLines({ text, next, cutLine, total, isLossy }: FileLines, offset: number): string {
  const notes: string[] = [];
  if (cutLine !== undefined) notes.push(`[line ${cutLine} is cut after ${fsLimits.shownMax} characters]`);
  if (next !== undefined) notes.push(`[truncated: read on with offset ${next}]`);
  if (total === 0) notes.push('[the file is empty]');
  else if (total !== undefined && total < offset)
    notes.push(`[the file has ${counted(total, 'line')}, none from ${offset} on]`);
  if (isLossy && text.includes('\ufffd'))
    notes.push('[not all of it is UTF-8: what is not is shown as \ufffd]');
  if (notes.length === 0) return text;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${notes.join('\n')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${Math.abs(count) === 1 ? '' : 's'}`;
}
