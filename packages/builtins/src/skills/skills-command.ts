import type { CommandOutput, JsonObject } from '@fairlead/extension';
import { toolFault } from '../errors.ts';
import { skillsLimits } from '../limits.ts';
import type { PeerSkillBank, SkillAsker, SkillsPeer } from '../peer/skills-peer.ts';
import { firstOf, isFoundBy, listedSkill, refusedSkill, skillData, trustLines } from './skill-text.ts';

/** What `/skills` does. */
export const SKILLS_ACTIONS = [
  ...(['list', 'show', 'search', 'trust', 'untrust', 'install', 'remove'] as const),
  ...(['banks', 'new', 'delete', 'grant', 'revoke', 'attach', 'detach'] as const),
] as const;

export interface SkillsLine {
  readonly action: (typeof SKILLS_ACTIONS)[number];
  readonly name?: string;
  /** A file to show; an agent to grant to; more words of a search. */
  readonly with?: string;
  readonly right: 'read' | 'write';
  readonly digest?: string;
  readonly ref?: string;
  readonly folder?: string;
  readonly bank?: string;
  readonly agent?: string;
}

export interface SkillsDoor {
  readonly signal: AbortSignal;
  /** Writes which banks the session has. */
  attach(banks: string[]): Promise<void>;
}

/** Runs one line of `/skills`. Rejects with what the host refuses, or `skills_line_incomplete`. */
export async function runSkillsLine(
  peer: SkillsPeer,
  asker: SkillAsker,
  line: SkillsLine,
  door: SkillsDoor,
): Promise<CommandOutput> {
  switch (line.action) {
    case 'list':
      return await list(peer, asker);
    case 'search':
      return await search(peer, asker, [line.name, line.with].filter((word) => word !== undefined).join(' '));
    case 'banks':
      return await banks(peer, asker);
    case 'show':
      return await show(peer, asker, line);
    case 'trust':
    case 'untrust':
      return await trust(peer, asker, line);
    case 'install':
    case 'remove':
      return await bring(peer, asker, line, door);
    case 'attach':
    case 'detach':
      return await attach(peer, asker, line, door);
    default:
      return await changeBank(peer, asker, line);
  }
}

async function list(peer: SkillsPeer, asker: SkillAsker): Promise<CommandOutput> {
  const { skills, refused } = await peer.here(asker);
  const installed = await peer.installed();
  const parts = [
    skills.length === 0 ? 'There are no skills here.' : firstOf(skills, listedSkill),
    ...(refused.length === 0 ? [] : [`Not read:\n${firstOf(refused, refusedSkill)}`]),
    ...(installed.length === 0
      ? []
      : [`Installed:\n${firstOf(installed, (one) => `- ${one.name} from ${sourceText(one)}`)}`]),
  ];
  const data = plain({
    skills: skills.slice(0, skillsLimits.listed).map(skillData),
    refused: refused.slice(0, skillsLimits.listed),
    installed: installed.slice(0, skillsLimits.listed),
  });
  return { text: parts.join('\n\n'), data };
}

function sourceText({
  source,
  ref,
  revision,
}: {
  source: string;
  ref: string | null;
  revision: string | null;
}): string {
  const at = revision === null ? '' : ` at ${revision.slice(0, 12)}${ref === null ? '' : ` (${ref})`}`;
  return `${source}${at}`;
}

async function search(peer: SkillsPeer, asker: SkillAsker, query: string): Promise<CommandOutput> {
  if (query.trim() === '') incomplete('what to search for is missing');
  const found = (await peer.here(asker)).skills.filter(isFoundBy(query));
  const text = found.length === 0 ? `No skill has all of these words: ${query}` : firstOf(found, listedSkill);
  return { text, data: { skills: found.slice(0, skillsLimits.listed).map(skillData) } };
}

async function show(peer: SkillsPeer, asker: SkillAsker, line: SkillsLine): Promise<CommandOutput> {
  const { skill, text } = await peer.read(asker, nameOf(line), line.with);
  const part = readPart(text);
  if (line.with !== undefined) return { text: part, data: { name: skill.name, file: line.with } };
  const facts = [
    listedSkill(skill),
    `  digest ${skill.digest}`,
    ...(skill.license === undefined ? [] : [`  license ${skill.license}`]),
    ...(skill.compatibility === undefined ? [] : [`  ${skill.compatibility}`]),
    ...(skill.allowedTools === undefined
      ? []
      : [`  says that it uses ${skill.allowedTools}; that gives it nothing`]),
    ...(skill.requiresTools.length === 0 ? [] : [`  needs ${skill.requiresTools.join(', ')}`]),
    ...skill.files.map(({ path, bytes }) => `  ${path} (${bytes} bytes)`),
  ];
  return { text: `${facts.join('\n')}\n\n${part}`, data: skillData(skill) };
}

/** What one answer holds; whoever wants all of a file opens it where it stands. */
function readPart(text: string): string {
  const more = text.length - skillsLimits.read;
  return more <= 0 ? text : `${text.slice(0, skillsLimits.read).toWellFormed()}\n[${more} more characters]`;
}

async function trust(peer: SkillsPeer, asker: SkillAsker, line: SkillsLine): Promise<CommandOutput> {
  const name = nameOf(line);
  if (line.action === 'untrust') {
    await peer.untrust(asker, name);
    return { text: `${name} is trusted no more, unless its place is.`, data: { name } };
  }
  const skill = await peer.trust(asker, name, line.digest);
  const text = `${name} (${skill.where}) is trusted as it is now: ${skill.digest}. Another text of it is not.`;
  return { text, data: skillData(skill) };
}

async function bring(
  peer: SkillsPeer,
  asker: SkillAsker,
  line: SkillsLine,
  { signal }: SkillsDoor,
): Promise<CommandOutput> {
  const { bank, agent, ref, folder } = line;
  if (bank !== undefined && agent !== undefined) incomplete('one of --bank and --agent');
  const target = { ...(bank === undefined ? {} : { bank }), ...(agent === undefined ? {} : { agent }) };
  if (line.action === 'remove') {
    const name = nameOf(line);
    await peer.remove(asker, name, target);
    return { text: `Taken away: ${name}`, data: { name } };
  }
  const words = {
    source: line.name ?? incomplete('where it comes from is missing'),
    ...(ref === undefined ? {} : { ref }),
    ...(folder === undefined ? {} : { inner: folder }),
  };
  const made = await peer.install(asker, words, target, signal);
  const { name, digest, revision } = made;
  const at = revision === null ? '' : ` at ${revision}`;
  // What an agent of this host was given by its operator is its own.
  const next = agent === undefined ? ` It is not trusted yet: ${trustLines(made)}.` : '';
  return { text: `Installed ${name}${at}, digest ${digest}.${next}`, data: plain(made) };
}

async function banks(peer: SkillsPeer, asker: SkillAsker): Promise<CommandOutput> {
  const all = await peer.banks();
  const lines = all.map(({ id, name, grants }) => {
    const given = grants.map(({ agent, right }) => `${agent} ${right}`).join(', ');
    const here = asker.attached.includes(id) ? ' · attached here' : '';
    return `- ${name} (${id})${here}${given === '' ? '' : `\n  ${given}`}`;
  });
  return {
    text: lines.length === 0 ? 'There are no skill banks.' : lines.join('\n'),
    data: plain({ banks: all }),
  };
}

async function changeBank(peer: SkillsPeer, asker: SkillAsker, line: SkillsLine): Promise<CommandOutput> {
  const name = nameOf(line);
  switch (line.action) {
    case 'new':
      return told('Made', await peer.createBank(asker, name));
    case 'delete':
      return told(
        'Nobody here reads it any more, and its database stays:',
        await peer.removeBank(asker, name),
      );
    case 'grant': {
      const agent = line.with ?? incomplete('the agent is missing');
      return told(`Granted to ${agent} (${line.right}):`, await peer.grant(asker, name, agent, line.right));
    }
    default: {
      const agent = line.with ?? incomplete('the agent is missing');
      return told(`Taken from ${agent}:`, await peer.revoke(asker, name, agent));
    }
  }
}

async function attach(
  peer: SkillsPeer,
  asker: SkillAsker,
  line: SkillsLine,
  door: SkillsDoor,
): Promise<CommandOutput> {
  const name = nameOf(line);
  if (line.action === 'detach') {
    // Also where the bank is not here any more: then by its id.
    const id = (await peer.findBank(name).catch(() => undefined))?.id ?? name;
    await door.attach(asker.attached.filter((one) => one !== id));
    return { text: `Detached from this session: ${name}`, data: { bank: id } };
  }
  const bank = await peer.findBank(name);
  if (!asker.attached.includes(bank.id)) await door.attach([...asker.attached, bank.id]);
  const granted = (await peer.banks()).find(({ id }) => id === bank.id)?.grants ?? [];
  const isGranted = granted.some(({ agent }) => agent === asker.agent);
  const next = isGranted ? '' : ` Agents read what they were granted: /skills grant ${bank.name} AGENT.`;
  return { text: `Attached to this session: ${bank.name}.${next}`, data: { bank: bank.id, name: bank.name } };
}

function told(what: string, { id, name }: PeerSkillBank): CommandOutput {
  return { text: `${what} ${name} (${id})`, data: { bank: id, name } };
}

function nameOf({ name }: SkillsLine): string {
  return name ?? incomplete('a name is missing');
}

function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function incomplete(what: string): never {
  throw toolFault('not_started', 'skills_line_incomplete', what);
}
