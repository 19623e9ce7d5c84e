import { hostError } from '../errors.ts';
import { timeText } from './columns.ts';
import { form, type HostCommand } from './host-command.ts';

const compact = form(
  {
    words: 'compact',
    about: 'Has the model sum up what stands here; the summary takes its place for the model.',
    scope: 'session:write',
    args: {},
  },
  async ({ ports, session, meta, given: { signal } }) => {
    // Nobody goes on there: a summary would cost and serve nothing.
    if (meta.closed) throw hostError('session_closed');
    const made = await ports.host.compact(session, signal === undefined ? {} : { signal });
    const { summary, upto, entries } = made;
    return {
      text: `${entries.toLocaleString('en')} entries are summed up now:\n${summary}`,
      data: { session, summary, upto, entries },
    };
  },
);

const continued = form(
  {
    words: 'continue',
    about: 'Goes on with the turn that was cut short.',
    scope: 'session:write',
    args: {},
  },
  async ({ ports, session }) => {
    const { turn } = await ports.host.continueTurn(session);
    return { text: 'The turn that was cut short goes on.', data: { session, turn } };
  },
);

const cancel = form(
  { words: 'cancel', about: 'Cancels the turn that runs here.', scope: 'session:write', args: {} },
  async ({ ports, session }) => {
    const cancelled = await ports.host.cancel(session);
    const text = cancelled ? 'The turn is cancelled.' : 'No turn runs here.';
    return { text, data: { session, cancelled } };
  },
);

const pause = form(
  {
    words: 'pause',
    about: 'Stops the whole host: what runs is cancelled, no turn, routine or call starts until /resume.',
    scope: 'admin',
    args: {},
  },
  async ({ ports }) => {
    const changed = await ports.host.pause();
    const since = ports.state.pausedAtMs;
    const when = since === null ? '' : ` since ${timeText(since)} UTC`;
    const text = changed
      ? 'This host is paused. /resume lets it go on.'
      : `This host is paused already${when}.`;
    return { text, data: { paused: true, changed, pausedAtMs: since } };
  },
);

const resume = form(
  { words: 'resume', about: 'Lets a paused host go on.', scope: 'admin', args: {} },
  async ({ ports }) => {
    const changed = await ports.host.resume();
    const text = changed ? 'This host goes on.' : 'This host is not paused.';
    return { text, data: { paused: false, changed } };
  },
);

/** What starts and stops turns, and what a model is to remember. */
export const turnCommands: readonly HostCommand[] = [
  { name: 'compact', aliases: [], about: compact.about, forms: [compact] },
  { name: 'continue', aliases: [], about: continued.about, forms: [continued] },
  { name: 'cancel', aliases: ['stop'], about: cancel.about, forms: [cancel] },
  { name: 'pause', aliases: [], about: pause.about, forms: [pause] },
  { name: 'resume', aliases: [], about: resume.about, forms: [resume] },
];
