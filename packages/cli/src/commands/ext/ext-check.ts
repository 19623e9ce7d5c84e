import { resolve } from 'node:path';
import { FairleadError, type Json } from '@fairlead/base';
import { checkFolder, type FolderCheck } from '@fairlead/hub';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { withProgress } from '../../output/progress.ts';
import { jsonLine, labelled, safeLine } from '../../output/safe-text.ts';

/** `fairlead ext check DIR`: exit 0 when nothing is wrong, 1 else. Installs nothing; its module and its `open` do run. */
export async function extCheck(
  context: CommandContext,
  folder: string,
  flags: { readonly json?: boolean },
): Promise<number> {
  const path = resolve(context.cwd, folder);
  const check = await withProgress(context, `loading ${folder}`, () =>
    coded(checkFolder(path, context.clock)),
  );
  const { ref, manifest, problems } = check;
  const notes = [...check.notes, ...(await nameNotes(manifest.name))];
  const report = { ok: problems.length === 0, ref, manifest, problems, notes } as unknown as Json;
  context.stdout(flags.json === true ? jsonLine(report) : text({ ...check, notes }));
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** The host refuses the second of two extensions of one name, and its own ones come first. */
async function nameNotes(name: string): Promise<readonly string[]> {
  const { allBuiltins } = await import('@fairlead/builtins');
  const isTaken = allBuiltins.some(({ manifest }) => manifest.name === name);
  return isTaken ? ['a built-in has this name, so a host refuses this one'] : [];
}

/** What refuses to load has a code of the extension's; it is told as any other error of this command. */
async function coded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string')
      throw new FairleadError(thrown.code, thrown.message, { cause: thrown });
    throw thrown;
  }
}

/** A literal says these as `prompt`, `tail` and `status`; a manifest says them as kinds that are provided. */
const ADDED_TEXT = [
  ['prompt', 'prompt_augmentation'],
  ['tail', 'context_tail'],
  ['status', 'status_segment'],
] as const;

function text({ manifest, problems, notes }: FolderCheck): string {
  const names = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name).join(', ');
  const rows: readonly (readonly [string, string])[] = [
    ['name', `${manifest.name} ${manifest.version}`],
    ['scopes', manifest.scopes.join(', ')],
    ['tools', names(manifest.tools)],
    ['commands', names(manifest.commands)],
    ['kinds', manifest.hooks.join(', ')],
    ['judges', manifest.hooks.includes('tool_call') ? (manifest.gates?.join(', ') ?? 'every tool') : ''],
    ...ADDED_TEXT.map(([member, kind]) => [member, manifest.provides.includes(kind) ? 'yes' : ''] as const),
    [
      'provides',
      manifest.provides.filter((kind) => !ADDED_TEXT.some(([, added]) => added === kind)).join(', '),
    ],
    ['routines', manifest.routines.map(({ id }) => id).join(', ')],
  ];
  return [
    ...rows.filter(([, value]) => value !== '').map(([label, value]) => labelled(label, value)),
    ...notes.map((note) => `note: ${safeLine(note)}\n`),
    ...problems.map(({ code, message }) => `! ${safeLine(message)} (${code})\n`),
    problems.length === 0 ? 'nothing is wrong with it\n' : '',
  ].join('');
}
