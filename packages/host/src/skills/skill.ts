import { createHash } from 'node:crypto';
import type { SkillHead } from './front-matter.ts';

/** Where a skill stands, in the order in which names are taken. */
export type SkillLayer = 'project' | 'user' | 'installed' | 'agent' | 'bank' | 'session_bank';

/** A file of a skill, beside its SKILL.md. */
export interface SkillFile {
  /** Inside the skill, with `/`. */
  readonly path: string;
  readonly bytes: number;
}

/** A skill, read. */
export interface Skill extends SkillHead {
  /** What a model is told: the text behind the head. */
  readonly body: string;
  readonly files: readonly SkillFile[];
  /** SHA-256 over all of it, base64url. */
  readonly digest: string;
  /** A file as it was when the digest was made. Rejects with `skill_file_unknown`, `skill_changed`. */
  readFile(path: string): Promise<Uint8Array>;
}

/** What stands where a skill could, and is none. */
export interface RefusedSkill {
  /** The name that its place gives it. */
  readonly name: string;
  /** In words for a person. */
  readonly reason: string;
  /** Of the SKILL.md, where a line is at fault. */
  readonly line?: number;
}

/** Skills of one place, by name. */
export interface SkillsOfPlace {
  readonly skills: readonly Skill[];
  readonly refused: readonly RefusedSkill[];
}

/** SHA-256, base64url. */
export function contentDigest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url');
}

/** The digest of a skill, over path and content digest of every file, SKILL.md among them, in the order of their paths. */
export function skillDigest(files: readonly { readonly path: string; readonly digest: string }[]): string {
  const whole = createHash('sha256').update('fairlead skill v1\n');
  // By code unit: an order that depends on no locale.
  const sorted = [...files].sort((left, right) => (left.path < right.path ? -1 : 1));
  for (const { path, digest } of sorted) whole.update(`${JSON.stringify([path, digest])}\n`);
  return whole.digest('base64url');
}
