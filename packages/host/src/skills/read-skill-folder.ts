import { isUtf8 } from 'node:buffer';
import { basename, join } from 'node:path';
import { hostError } from '../errors.ts';
import { skillLimits } from '../limits.ts';
import { NoSkill, type WalkedFile, walkSkill } from './folder-walk.ts';
import { readSkillText } from './front-matter.ts';
import { readOrdinary } from './ordinary-file.ts';
import { contentDigest, type Skill, skillDigest } from './skill.ts';

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** A skill that was read, and what tells whether it must be read again. */
export interface FolderReading {
  readonly skill: Skill;
  readonly mark: string;
  readonly changedMs: number;
}

/** Reads the skill of a folder whose files were walked; without a name it may have any. Throws `NoSkill`; rejects with the system's own errors. */
export async function readSkillFolder(
  folder: string,
  files: readonly WalkedFile[],
  name: string | undefined,
): Promise<FolderReading> {
  if (!files.some(({ path }) => path === SKILL_FILE)) throw noSkillFile(files);
  let text = '';
  const digests: { readonly path: string; readonly digest: string }[] = [];
  let left = skillLimits.folderBytes;
  for (const { path } of files) {
    const content = await contentOf(join(folder, path), path, left);
    left -= content.length;
    digests.push({ path, digest: contentDigest(content) });
    if (path === SKILL_FILE) text = textOf(content);
  }
  const byPath = new Map(digests.map(({ path, digest }) => [path, digest]));
  return {
    skill: skillOf(text, name, {
      digest: skillDigest(digests),
      files: files.filter(({ path }) => path !== SKILL_FILE).map(({ path, bytes }) => ({ path, bytes })),
      readFile: (path) => readAgain(join(folder, path), byPath.get(path)),
    }),
    mark: markOf(files),
    changedMs: files.reduce((newest, { changedMs }) => Math.max(newest, changedMs), 0),
  };
}

/** The same of a skill that is one file, `NAME.md`. */
export async function readSkillFile(place: string, file: WalkedFile, name: string): Promise<FolderReading> {
  const content = await contentOf(place, basename(place), skillLimits.textBytes);
  const digest = skillDigest([{ path: SKILL_FILE, digest: contentDigest(content) }]);
  const skill = skillOf(textOf(content), name, { digest, files: [], readFile: () => unknownFile() });
  return { skill, mark: file.mark, changedMs: file.changedMs };
}

/** What a walk says of a folder, as one text: another one where anything in it changed. */
export function markOf(files: readonly WalkedFile[]): string {
  return files.map(({ path, mark }) => `${path}\0${mark}`).join('\n');
}

/** Walks and reads the folder of a skill. Throws `NoSkill`. */
export async function skillIn(folder: string, name?: string): Promise<Skill> {
  return (await readSkillFolder(folder, await walkSkill(folder), name)).skill;
}

type SkillParts = Pick<Skill, 'digest' | 'files' | 'readFile'>;

function skillOf(text: string, name: string | undefined, parts: SkillParts): Skill {
  const reading = readSkillText(text);
  if (!reading.ok) throw new NoSkill(reading.problem, reading.line);
  const { head, body } = reading;
  if (name !== undefined && head.name !== name)
    throw new NoSkill(`it calls itself ${head.name} and stands under the name ${name}: the two must be one`);
  return { ...head, body, ...parts };
}

function textOf(content: Buffer): string {
  if (content.length > skillLimits.textBytes)
    throw new NoSkill(`its SKILL.md is larger than ${skillLimits.textBytes / 1024} KiB`);
  if (!isUtf8(content)) throw new NoSkill('its text is not UTF-8');
  return content.toString('utf8');
}

async function contentOf(place: string, path: string, maxBytes: number): Promise<Buffer> {
  const content = await readOrdinary(place, maxBytes);
  if (content === 'too_large') throw new NoSkill(`${path} is too large`);
  if (content === 'not_ordinary') throw new NoSkill(`${path} is no ordinary file`);
  return content;
}

/** What was trusted is what is shown: a file that is another by now is not given out, whatever stands there. */
async function readAgain(place: string, digest: string | undefined): Promise<Uint8Array> {
  if (digest === undefined) return await unknownFile();
  const content = await readOrdinary(place, skillLimits.folderBytes).catch(() => 'not_ordinary' as const);
  if (typeof content === 'string' || contentDigest(content) !== digest) throw hostError('skill_changed');
  return content;
}

function unknownFile(): Promise<never> {
  return Promise.reject(hostError('skill_file_unknown'));
}

function noSkillFile(files: readonly WalkedFile[]): NoSkill {
  const near = files.find(({ path }) => path.toLowerCase() === SKILL_FILE.toLowerCase());
  return new NoSkill(
    near === undefined ? `it has no ${SKILL_FILE}` : `${near.path} must be written ${SKILL_FILE}`,
  );
}
