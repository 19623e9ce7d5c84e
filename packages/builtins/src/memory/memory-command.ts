import type { AgentView, CommandOutput, Json } from '@fairlead/extension';
import type { MemoryPeer, MemoryPerson, MemoryPlace } from '../peer/memory-peer.ts';
import { AGENT_SETTINGS, invalid, settingValue } from './memory-settings.ts';
import { memoryLine } from './memory-text.ts';

/** What `/memory` does. */
export const MEMORY_ACTIONS = [
  ...['list', 'new', 'delete', 'del', 'undelete', 'grant', 'revoke', 'attach', 'detach'],
  ...['config', 'recall', 'forget', 'export', 'import'],
] as const;

export interface MemoryLine {
  readonly action: string;
  readonly words: readonly string[];
  /** Absent: the session’s own. */
  readonly agent?: string;
  /** Absent: the agent’s own memory. */
  readonly bank?: string;
}

const WHOSE = /^(agent|bank):(.+)$/s;

/** Takes what says whose memory is meant from the front of the words. */
export function memoryLineOf(action: string, words: readonly string[]): MemoryLine {
  const whose: { agent?: string; bank?: string } = {};
  let taken = 0;
  for (const word of words) {
    const [, kind, name] = WHOSE.exec(word) ?? [];
    if (kind === undefined || name === undefined) break;
    whose[kind as keyof typeof whose] = name;
    taken += 1;
  }
  return { action, words: words.slice(taken), ...whose };
}

/** Where a line of `/memory` is typed. */
export interface MemoryDesk {
  readonly peer: MemoryPeer;
  readonly person: MemoryPerson;
  /** Whose memory is meant: the agent that was named, or the session's own. Rejects where there is none. */
  agent(): Promise<AgentView>;
  /** An agent by name or id. Rejects where there is none, or none in reach. */
  find(nameOrId: string): Promise<AgentView>;
  /** Ids of the banks that are attached to the session. */
  readonly attached: readonly string[];
  attach(banks: readonly string[]): Promise<void>;
}

/** Runs one line of `/memory`. Rejects with what the host refuses, or `memory_line_invalid`. */
export async function runMemoryLine(desk: MemoryDesk, line: MemoryLine): Promise<CommandOutput> {
  const { peer, person } = desk;
  const [first, second, third] = line.words;
  const name = (what: string): string => first ?? invalid(`${what} is missing`);
  const rest = () => line.words.join(' ');
  switch (line.action) {
    case 'list':
      return await listed(desk);
    case 'new': {
      const { id, name: made } = await peer.createBank(person, name('the name of the bank'));
      return {
        text: `Made the bank ${made} (${id}). Grant it with /memory grant ${made} AGENT write.`,
        data: { id, name: made },
      };
    }
    case 'delete':
    case 'del': {
      const bank = await peer.removeBank(person, name('the name of the bank'));
      if (desk.attached.includes(bank.id)) await desk.attach(desk.attached.filter((id) => id !== bank.id));
      const text = `${bank.name} is off the list. Its database stays: /memory undelete ${bank.id} brings it back.`;
      return { text, data: { id: bank.id, name: bank.name } };
    }
    case 'undelete': {
      const bank = await peer.restoreBank(person, name('the id of the bank'));
      return { text: `${bank.name} is back.`, data: { id: bank.id, name: bank.name } };
    }
    case 'grant': {
      const right = third;
      if (right !== 'read' && right !== 'write') return invalid('the right is read or write');
      const agent = await desk.find(second ?? invalid('the agent is missing'));
      const bank = await peer.grant(person, name('the name of the bank'), agent.id, right);
      return {
        text: `${agent.name} may ${right} ${bank.name}.`,
        data: { bank: bank.id, agent: agent.id, right },
      };
    }
    case 'revoke': {
      const agent = await desk.find(second ?? invalid('the agent is missing'));
      const bank = await peer.revoke(person, name('the name of the bank'), agent.id);
      return {
        text: `${agent.name} may nothing in ${bank.name} any more.`,
        data: { bank: bank.id, agent: agent.id },
      };
    }
    case 'attach':
      return await attached(desk, name('the name of the bank'));
    case 'detach': {
      const bank = await peer.findBank(name('the name of the bank'));
      if (desk.attached.includes(bank.id)) await desk.attach(desk.attached.filter((id) => id !== bank.id));
      return {
        text: `${bank.name} is not attached to this session.`,
        data: { banks: [...desk.attached].filter((id) => id !== bank.id) },
      };
    }
    case 'config':
      return await configured(desk, line);
    case 'recall': {
      const place = await placeOf(desk, line);
      const { memories, by } = await peer.recall(place, { query: rest() });
      const text =
        memories.length === 0 ? 'Nothing is remembered about this.' : memories.map(memoryLine).join('\n');
      return {
        text,
        data: { by, memories: memories.map((memory) => ({ ...memory, tags: [...memory.tags] })) },
      };
    }
    case 'forget': {
      const key = rest();
      if (key === '') return invalid('the key is missing');
      await peer.forget(await placeOf(desk, line), key);
      const text = `Forgotten: ${key}. It is recalled no more, here and wherever this is replicated; its text stays in the log of the database.`;
      return { text, data: { key } };
    }
    case 'export': {
      const path = name('the file');
      const count = await peer.exportTo(person.session, await placeOf(desk, line), path);
      return { text: `Wrote ${counted(count)} to ${path}.`, data: { path, memories: count } };
    }
    case 'import': {
      const path = name('the file');
      const { written, known } = await peer.importFrom(person.session, await placeOf(desk, line), path);
      return {
        text: `Took ${counted(written)} from ${path}; ${known} were known.`,
        data: { path, written, known },
      };
    }
    default:
      return invalid(`${line.action} is none of ${MEMORY_ACTIONS.join(', ')}`);
  }
}

async function placeOf(desk: MemoryDesk, { bank }: MemoryLine): Promise<MemoryPlace> {
  const agent = (await desk.agent()).id;
  const { person } = desk;
  return bank === undefined ? { agent, person } : { agent, bank, person };
}

async function listed({ peer, person, attached: ids }: MemoryDesk): Promise<CommandOutput> {
  const [banks, { model, waiting }] = await Promise.all([peer.allBanks(person), peer.standing()]);
  const lines = banks.map(({ name, id, role, grants }) => {
    const who = grants.map(({ agent, name: called, right }) => `${called ?? agent} ${right}`).join(', ');
    const mine =
      role === null
        ? '; this host may nothing there any more'
        : role === 'read'
          ? '; this host may only read there'
          : '';
    const here = ids.includes(id) ? '; attached to this session' : '';
    return `- ${name} (${id}): ${who === '' ? 'granted to nobody' : who}${mine}${here}`;
  });
  const how =
    model === undefined
      ? 'Memories are found by words alone: [embedding] is not configured.'
      : `Memories are found by words and by meaning (${model})${waiting === 0 ? '' : `; ${waiting} have words alone so far`}.`;
  const text = [...(lines.length === 0 ? ['There is no bank.'] : lines), how].join('\n');
  return {
    text,
    data: JSON.parse(JSON.stringify({ banks, attached: ids, model: model ?? null, waiting })) as Json,
  };
}

async function attached(desk: MemoryDesk, nameOrId: string): Promise<CommandOutput> {
  const { peer, attached: ids } = desk;
  const bank = await peer.findBank(nameOrId);
  if (!ids.includes(bank.id)) await desk.attach([...ids, bank.id]);
  const data = { banks: [...new Set([...ids, bank.id])] };
  const agent = await desk.agent().catch(() => undefined);
  const granted = agent === undefined ? [] : await peer.banks(agent.id);
  const may = granted.some(({ id, right }) => id === bank.id && right !== undefined);
  const note =
    may || agent === undefined
      ? ''
      : ` ${agent.name} was not granted it: /memory grant ${bank.name} ${agent.name} read.`;
  return { text: `${bank.name} is attached to this session, from the next turn on.${note}`, data };
}

async function configured(desk: MemoryDesk, { words }: MemoryLine): Promise<CommandOutput> {
  const { peer } = desk;
  const [what = 'show', key, ...values] = words;
  const agent = await desk.agent();
  switch (what) {
    case 'show':
      break;
    case 'set': {
      if (key === undefined) return invalid('the setting is missing');
      await peer.setSetting(agent.id, key, settingValue(key, values.join(' ')));
      break;
    }
    case 'reset':
      for (const one of AGENT_SETTINGS) await peer.setSetting(agent.id, one, null);
      break;
    default:
      return invalid('config is followed by show, set or reset');
  }
  const own = await peer.settings(agent.id);
  const set = AGENT_SETTINGS.flatMap((one) => (own[one] === undefined ? [] : [[one, own[one]] as const]));
  const text =
    set.length === 0
      ? `${agent.name} sets nothing: what holds are the defaults and fairlead.toml.`
      : set.map(([one, value]) => `${one} = ${JSON.stringify(value)}`).join('\n');
  return { text, data: Object.fromEntries(set) };
}

function counted(count: number): string {
  return count === 1 ? '1 memory' : `${count} memories`;
}
