import { ExtensionError } from '@fairlead/extension';
import type { PeerSchedule, SchedulesPeer, ScheduleWish } from '../src/peer/schedules-peer.ts';

/** Schedules in memory: they are kept, and never fire. */
export function fakeSchedules(asked: unknown[][]): SchedulesPeer {
  const kept = new Map<string, PeerSchedule>();
  const keyOf = (agent: string, id: string) => `${agent} ${id}`;
  const known = (agent: string, id: string): PeerSchedule => {
    const line = kept.get(keyOf(agent, id));
    if (line === undefined)
      throw new ExtensionError('schedule_unknown', 'The agent has no schedule of this id.');
    return line;
  };
  const keep = (agent: string, id: string, wish: ScheduleWish, before?: PeerSchedule): PeerSchedule => {
    const { enabled = true, task = '', target, trigger, max_fires: maxFires, expires_at: expiresAt } = wish;
    const schedule = {
      ...{ trigger, task, target, enabled },
      ...before?.schedule,
      ...Object.fromEntries(
        Object.entries({ trigger, target, maxFires, expiresAt }).filter(([, one]) => one),
      ),
      ...(wish.task === undefined ? {} : { task }),
      ...(wish.enabled === undefined ? {} : { enabled }),
    } as NonNullable<PeerSchedule['schedule']>;
    const line = { id, schedule, next: schedule.enabled ? 0 : null, fires: 0, failures: 0, lastCode: null };
    kept.set(keyOf(agent, id), line);
    return line;
  };
  return {
    list: async (agent) => [...kept].filter(([key]) => key.startsWith(`${agent} `)).map(([, line]) => line),
    async add(agent, id, wish) {
      asked.push(['schedules.add', agent, id, wish]);
      if (kept.has(keyOf(agent, id)))
        throw new ExtensionError('schedule_exists', 'The agent has a schedule of this id already.');
      return keep(agent, id, wish);
    },
    async modify(agent, id, wish) {
      asked.push(['schedules.modify', agent, id, wish]);
      return keep(agent, id, wish, known(agent, id));
    },
    async remove(agent, id) {
      asked.push(['schedules.remove', agent, id]);
      known(agent, id);
      kept.delete(keyOf(agent, id));
    },
    history: async () => [],
    async fire(payload) {
      asked.push(['schedules.fire', payload]);
    },
  };
}
