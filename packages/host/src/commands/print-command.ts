import { s } from '@fairlead/extension';
import type { Entry, UnknownEntry } from '../entries/entry.ts';
import { entryPage } from '../entries/entry-log.ts';
import { visibleName, visibleText } from '../leaks/visible-text.ts';
import { commandBounds } from '../limits.ts';
import { timeText } from './columns.ts';
import { form, type HostCommand } from './host-command.ts';

const print = form(
  {
    words: 'print',
    about: 'What happened here, the newest last.',
    scope: 'session:read',
    args: {
      last: s.integer({ default: commandBounds.printed, minimum: 1, maximum: commandBounds.printedMax }),
    },
  },
  async ({ database }, { last }) => {
    const { entries, before } = await entryPage(database, { limit: last });
    const lines = entries.toReversed().map((entry) => ({
      id: entry.id,
      at: entry.at,
      type: entry.type,
      from: visibleName(entry.from?.name ?? entry.from?.id ?? '?'),
      text: shortened(wordsOf(entry)),
    }));
    const shown = lines.map(({ at, from, type, text }) =>
      `${timeText(at)}  ${from}  ${type === 'message' ? '' : `[${type}] `}${visibleText(text)}`.trimEnd(),
    );
    const older = before === null ? [] : ['Older entries are left out.'];
    const text = lines.length === 0 ? 'Nothing was said here yet.' : [...older, ...shown].join('\n');
    return { text, data: { entries: lines, before } };
  },
);

/** What an entry says, in a few words where it is not text. */
function wordsOf(entry: Entry | UnknownEntry): string {
  switch (entry.type) {
    case 'message':
    case 'directive':
    case 'summary':
      return entry.text;
    case 'error':
      return `${entry.code}: ${entry.text}`;
    case 'ack':
      return `by ${entry.model}`;
    case 'turn_end':
      return entry.code === undefined ? entry.status : `${entry.status}, ${entry.code}`;
    case 'tool_call':
      return `${entry.tool} ${JSON.stringify(entry.arguments)}`;
    case 'tool_result':
      return `${entry.certainty}${entry.code === undefined ? '' : `, ${entry.code}`}: ${entry.text}`;
    case 'tool_settled':
      return `${entry.certainty}${entry.code === undefined ? '' : `, ${entry.code}`}`;
    case 'approval_request':
      return `${entry.tool}, ${entry.risk}: ${entry.approval}`;
    case 'approval_decision':
      return `${entry.decision} by ${entry.by}: ${entry.approval}`;
    case 'unknown':
      return entry.of;
  }
}

function shortened(text: string): string {
  const { shownText } = commandBounds;
  return text.length > shownText ? `${text.slice(0, shownText).toWellFormed()}…` : text;
}

export const printCommand: HostCommand = { name: 'print', aliases: [], about: print.about, forms: [print] };
