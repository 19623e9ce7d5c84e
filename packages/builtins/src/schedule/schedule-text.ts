import type { PeerSchedule, PeerSlot } from '../peer/schedules-peer.ts';

/** A schedule on one line: `id: when, target, how it goes — task`. */
export function scheduleText(line: PeerSchedule): string {
  const { id, schedule, problem, next, fires, failures, lastCode } = line;
  if (schedule === undefined) return `${id}: cannot be read (${problem ?? ''})`;
  const { target, enabled, maxFires, expiresAt, task } = schedule;
  const notes = [
    target.kind === 'fresh' ? 'in a session of its own each time' : 'in its session',
    enabled ? nextText(next) : 'off',
    maxFires === undefined ? `fired ${fires}` : `fired ${fires} of ${maxFires}`,
    ...(expiresAt === undefined ? [] : [`until ${momentText(expiresAt)}`]),
    ...(failures === 0 ? [] : [`failed ${failures} in a row${lastCode === null ? '' : ` (${lastCode})`}`]),
  ];
  return `${id}: ${whenText(schedule.trigger)}; ${notes.join('; ')} — ${shortTask(task)}`;
}

/** A slot on one line. */
export function slotText({ due, state, outcome, code, session }: PeerSlot): string {
  const how = [state, outcome, code].filter((part) => part !== null).join(' ');
  return `${momentText(due)} ${how}${session === null ? '' : ` in ${session}`}`;
}

/** RFC 3339, to the second. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function whenText(trigger: NonNullable<PeerSchedule['schedule']>['trigger']): string {
  switch (trigger.kind) {
    case 'cron':
      return `cron ${trigger.cron} (${trigger.zone})`;
    case 'every':
      return `every ${trigger.secs} s`;
    case 'at':
      return `at ${momentText(trigger.at)}`;
  }
}

function nextText(next: number | null): string {
  return next === null ? 'nothing due' : `next ${momentText(next)}`;
}

function shortTask(task: string): string {
  const line = task.replaceAll(/\s+/gu, ' ').trim();
  const cut = [...line].slice(0, 80).join('');
  return cut.length < line.length ? `${cut}…` : cut;
}
