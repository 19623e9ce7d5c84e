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
      const { task = incomplete('the task is missing'), zone, fresh } = line;
      const time = timeOf(line.when ?? incomplete('the time is missing'), zone);
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
