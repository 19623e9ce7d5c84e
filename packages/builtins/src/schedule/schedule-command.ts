import type { CommandOutput, Json } from '@fairlead/extension';
import { toolFault } from '../errors.ts';
import type { PeerSchedule, SchedulesPeer } from '../peer/schedules-peer.ts';
import { scheduleText, slotText } from './schedule-text.ts';
import { wishOf } from './wish.ts';

/** What `/schedule` does. */
export const SCHEDULE_ACTIONS = ['list', 'add', 'remove', 'on', 'off', 'history'] as const;

export interface ScheduleLine {
  readonly action: (typeof SCHEDULE_ACTIONS)[number];
  readonly id?: string;
  /** A pattern in quotes, `every SECONDS` or `at MOMENT` in quotes. */
  readonly when?: string;
  readonly task?: string;
  readonly zone?: string;
  readonly fresh: boolean;
}

/** Words that say whose or where, in front of the others; an id has no colon. */
const NAMED = /^(?<key>agent|zone):(?<value>.+)$/su;

/** What the words behind `/schedule ACTION` say: what is named, the id, the time, and the task, which is all the rest. */
export function scheduleLineOf(
  action: ScheduleLine['action'],
  words: readonly string[],
  fresh: boolean,
): ScheduleLine & { readonly agent?: string } {
  const named: { agent?: string; zone?: string } = {};
  let first = 0;
  for (const word of words) {
    const { key, value } = NAMED.exec(word)?.groups ?? {};
    if (key !== 'agent' && key !== 'zone') break;
    if (value !== undefined) named[key] = value;
    first += 1;
  }
  const [id, when, ...task] = words.slice(first);
  if (action !== 'add' && words.length > first + (action === 'list' ? 0 : 1))
    incomplete('there is a word too many');
  return {
    ...{ action, fresh, ...named },
    ...(id === undefined ? {} : { id }),
    ...(when === undefined ? {} : { when }),
    ...(task.length === 0 ? {} : { task: task.join(' ') }),
  };
}

/** Runs one line of `/schedule` over the schedules of one agent. Rejects with what the host refuses, or `schedule_line_incomplete`. */
export async function runScheduleLine(
  schedules: SchedulesPeer,
  {
    agent,
    session,
  }: { readonly agent: { readonly id: string; readonly name: string }; readonly session: string },
  line: ScheduleLine,
): Promise<CommandOutput> {
  const { action } = line;
  if (action === 'list') {
    const lines = await schedules.list(agent.id);
    const text =
      lines.length === 0 ? `${agent.name} has nothing planned.` : lines.map(scheduleText).join('\n');
    return { text, data: { agent: agent.name, schedules: lines.map(dataOf) } };
  }
  const id = line.id ?? incomplete('the id is missing');
  switch (action) {
    case 'add': {
      const { when = incomplete('the time is missing'), zone, fresh } = line;
      const { task = incomplete('the task is missing') } = line;
      const time = timeOf(when, zone);
      const wish = wishOf({ ...time, task, target: fresh ? 'fresh' : 'pinned' }, session);
      const added = await schedules.add(agent.id, id, wish);
      return { text: `Planned. ${scheduleText(added)}`, data: dataOf(added) };
    }
    case 'remove':
      await schedules.remove(agent.id, id);
      return { text: `Taken away: ${id}`, data: { id } };
    case 'on':
    case 'off': {
      const changed = await schedules.modify(agent.id, id, { enabled: action === 'on' });
      return { text: `Changed. ${scheduleText(changed)}`, data: dataOf(changed) };
    }
    case 'history': {
      const slots = await schedules.history(agent.id, id);
      const text = slots.length === 0 ? `${id} was never due.` : slots.map(slotText).join('\n');
      return { text, data: { id, slots: slots.map((slot) => ({ ...slot })) } };
    }
  }
}

function timeOf(when: string, zone: string | undefined) {
  const [word = '', ...rest] = when.trim().split(/\s+/);
  if (word === 'every') return { every_secs: Number(rest.join('')) };
  if (word === 'at') return { at: rest.join('') };
  return { cron: when, ...(zone === undefined ? {} : { zone }) };
}

function dataOf(line: PeerSchedule): Json {
  return JSON.parse(JSON.stringify(line)) as Json;
}

function incomplete(what: string): never {
  throw toolFault('not_started', 'schedule_line_incomplete', what);
}
