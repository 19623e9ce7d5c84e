import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { hostError } from '../errors.ts';
import { skillLimits } from '../limits.ts';
import { NoSkill } from './folder-walk.ts';
import { readSkillText } from './front-matter.ts';
import { contentDigest, type RefusedSkill, type Skill } from './skill.ts';

/** The table of an agent or a bank that holds its skills, put by name. */
export const SKILLS_TABLE = 'skills';

/** Reads what stands under a name in an agent or a bank. It is foreign: whoever may write there may have written anything. */
export function readSkillRecord(name: string, value: Json): Skill | RefusedSkill {
  if (!isJsonObject(value)) return refused(name, 'its record is no object');
  if (value['name'] !== name) return refused(name, 'its record calls itself otherwise');
  const files = filesOf(value['files']);
  if (files === undefined) return refused(name, 'its record has files that cannot be read');
  const body = value['body'];
  if (typeof body !== 'string') return refused(name, 'its record has no text');
  const head = {
    name,
    description: value['description'] ?? '',
    requires_tools: value['requires_tools'] ?? [],
    tags: value['tags'] ?? [],
    triggers: value['triggers'] ?? [],
  };
  // One reader for every skill, wherever it stands: JSON is YAML.
  const reading = readSkillText(`---\n${JSON.stringify(head)}\n---\n${body}`);
  if (!reading.ok) return refused(name, reading.problem);
  const content = { ...head, body, files };
  return {
    ...reading.head,
    body: reading.body,
    files: [...files].map(([path, text]) => ({ path, bytes: Buffer.byteLength(text) })),
    digest: contentDigest(
      Buffer.from(
        `fairlead skill record v1\n${canonicalJson({ ...content, files: Object.fromEntries(files) })}`,
      ),
    ),
    readFile(path) {
      const text = files.get(path);
      return text === undefined
        ? Promise.reject(hostError('skill_file_unknown'))
        : Promise.resolve(Buffer.from(text));
    },
  };
}

/**
 * A skill as a record: `{name, description, body, files, tags, triggers, requires_tools, agent?, at}`. Throws `NoSkill` where one of its files is no text, or
 * all of it is more than one commit takes.
 */
export async function skillRecord(
  skill: Skill,
  { agent, at }: { readonly agent?: string; readonly at: number },
): Promise<JsonObject> {
  const files: JsonObject[] = [];
  for (const { path } of skill.files) {
    const content = await skill.readFile(path);
    const text = Buffer.from(content).toString('utf8');
    if (!Buffer.from(text).equals(content)) throw new NoSkill(`${path} is no text: a bank keeps texts alone`);
    files.push({ path, text });
  }
  const { name, description, body, tags, triggers, requiresTools } = skill;
  const record = {
    ...{ name, description, body, files, tags, triggers },
    requires_tools: requiresTools,
    ...(agent === undefined ? {} : { agent }),
    at,
  };
  if (Buffer.byteLength(JSON.stringify(record)) > skillLimits.recordBytes)
    throw new NoSkill(
      `it is larger than ${skillLimits.recordBytes / 1024} KiB, which is what a bank keeps of one`,
    );
  return record;
}

/** By path; undefined where it is no list of `{path, text}` with paths that stay inside. */
function filesOf(value: Json | undefined): ReadonlyMap<string, string> | undefined {
  if (value === undefined) return new Map();
  if (!Array.isArray(value) || value.length > skillLimits.folderFiles) return undefined;
  const files = new Map<string, string>();
  for (const file of value as readonly Json[]) {
    if (!isJsonObject(file)) return undefined;
    const { path, text } = file;
    if (typeof path !== 'string' || typeof text !== 'string' || !isInnerPath(path)) return undefined;
    files.set(path, text);
  }
  return files;
}

function isInnerPath(path: string): boolean {
  const parts = path.split('/');
  return (
    Buffer.byteLength(path) <= skillLimits.path &&
    !/[\p{Cc}\\]/u.test(path) &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

function refused(name: string, reason: string): RefusedSkill {
  return { name, reason };
}
