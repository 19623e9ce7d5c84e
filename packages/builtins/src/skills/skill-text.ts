import type { JsonObject } from '@fairlead/extension';
import { skillsLimits } from '../limits.ts';
import type { PeerNoSkill, PeerSkill, PeerSkillText } from '../peer/skills-peer.ts';

/** `- **name** — description`, one line. */
function skillLine({ name, description }: PeerSkill): string {
  return description === '' ? `- **${name}**` : `- **${name}** — ${description}`;
}

/** What the system prompt says of skills: their names and descriptions, in order; undefined where there is none. */
export function catalogText(skills: readonly PeerSkill[]): string | undefined {
  if (skills.length === 0) return undefined;
  return [
    '## Available skills',
    '',
    'Written instructions for some tasks. Where one fits what you are asked, read it with skill_show before you begin.',
    '',
    skillLines(skills, skillsLimits.catalog),
  ].join('\n');
}

/** A line for each, as many as fit into so many bytes, and how many more there are. */
export function skillLines(skills: readonly PeerSkill[], maxBytes: number): string {
  return fitting(skills.map(skillLine), maxBytes, ': search them with skill_search');
}

function fitting(lines: readonly string[], maxBytes: number, how: string): string {
  let left = maxBytes;
  const end = lines.findIndex((line) => {
    left -= Buffer.byteLength(line) + 1;
    return left < 0;
  });
  if (end < 0) return lines.join('\n');
  return [...lines.slice(0, end), `- and ${lines.length - end} more${how}`].join('\n');
}

/** Whether a skill has every word of a query, whatever their case, in its name, description, triggers or tags. */
export function isFoundBy(query: string): (skill: PeerSkill) => boolean {
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  return ({ name, description, triggers, tags }) => {
    const text = [name, description, ...triggers, ...tags].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** As a model reads it: a part of the text, and what else there is to read. */
export function shownSkill({ skill, text }: PeerSkillText, file: string | undefined, offset: number): string {
  const part = partOf(text, offset);
  if (file !== undefined) return part;
  const head = [
    `# ${skill.name}`,
    ...(skill.allowedTools === undefined
      ? []
      : [`It says that it uses: ${skill.allowedTools}. What you may use is what you are offered.`]),
  ];
  const files = skill.files.map(({ path, bytes }) => `- ${path} (${bytes} bytes)`);
  const list = fitting(files, skillsLimits.files, '');
  const tail = files.length === 0 ? [] : ['Its files, to be read with skill_show and file:', list];
  return [...head, part, ...tail].join('\n\n');
}

/** What fits into one answer, from an offset on; never half a character. */
function partOf(text: string, offset: number): string {
  if (offset >= text.length && text !== '') return `[nothing behind ${text.length} characters]`;
  const bytes = Buffer.from(text.slice(offset, offset + skillsLimits.shown));
  // As a stream it keeps back what is no whole character yet.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const part = decoder.decode(bytes.subarray(0, skillsLimits.shown), { stream: true });
  const end = offset + part.length;
  return end >= text.length ? part : `${part}\n[${text.length - end} more characters: offset ${end}]`;
}

/** What to type: trust is for the text that was read, whatever stands there by then. */
export function trustLines({ name, digest }: Pick<PeerSkill, 'name' | 'digest'>): string {
  return `/skills show ${name}, then /skills trust ${name} --digest ${digest}`;
}

/** A skill as a person reads it in a list. */
export function listedSkill(skill: PeerSkill): string {
  const { where, state, missing } = skill;
  const why = {
    offered: '',
    shadowed: ' · another of its name stands before it',
    hidden: ` · hidden: ${missing.join(', ')} is not offered`,
    untrusted: ` · not trusted: ${trustLines(skill)}`,
    changed: ` · changed since it was trusted: ${trustLines(skill)}`,
  }[state];
  const notes = skill.notes.map((note) => `\n  ${note}`);
  return `${skillLine(skill)}\n  ${where}${why}${notes.join('')}`;
}

/** The first of a list, each in its words, and how many more there are. */
export function firstOf<One>(all: readonly One[], words: (one: One) => string): string {
  const shown = all.slice(0, skillsLimits.listed).map(words);
  const more = all.length - shown.length;
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

/** What is no skill, as a person reads it. */
export function refusedSkill({ name, where, reason, line }: PeerNoSkill): string {
  const place = name === '' ? where : `${where}: ${name}`;
  return `- ${place}${line === undefined ? '' : `, line ${line}`}: ${reason}`;
}

/** For programs: without its files, of which there may be many. */
export function skillData({ files, ...skill }: PeerSkill): JsonObject {
  return JSON.parse(JSON.stringify({ ...skill, files: files.length })) as JsonObject;
}
