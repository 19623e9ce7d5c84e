import type { Entry, NewEntry, SessionView } from '../authoring/context.ts';
import type { Ask } from '../carrier/ask.ts';
import { exceedsBytes } from '../contracts/text.ts';
import type { Json } from '../json/json.ts';
import { contextLimits } from '../limits.ts';

const DEFAULT_READ = 50;

/** A session as a handler sees it: every read and write is a question to the host. */
export function sessionView(session: string, question: (ask: Ask) => Promise<Json>): SessionView {
  return Object.freeze({
    id: session,
    async read(options: { readonly last?: number; readonly before?: string } = {}) {
      const { last = DEFAULT_READ, before } = options;
      if (!Number.isInteger(last) || last < 1 || last > contextLimits.maxRead)
        throw new RangeError(`last must be an integer from 1 to ${contextLimits.maxRead}`);
      const entries = await question(
        before === undefined
          ? { op: 'session.read', session, last }
          : { op: 'session.read', session, last, before: String(before) },
      );
      return entries as unknown as readonly Entry[];
    },
    async append({ type, text, from }: NewEntry) {
      if (type !== 'message' && type !== 'directive')
        throw new RangeError('type must be message or directive');
      if (typeof text !== 'string' || exceedsBytes(text, contextLimits.maxText))
        throw new RangeError(`text must be a string of at most ${contextLimits.maxText} bytes`);
      const answer = await question({
        op: 'session.append',
        session,
        type,
        text: text.toWellFormed(),
        ...(from === undefined ? {} : { from: speaker(from) }),
      });
      return answer as unknown as { readonly id: string };
    },
  });
}

function speaker({ id, name }: NonNullable<NewEntry['from']>): NonNullable<NewEntry['from']> {
  return name === undefined ? { id: String(id) } : { id: String(id), name: String(name) };
}
