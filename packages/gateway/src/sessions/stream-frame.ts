import { encodeJson, type JsonObject } from '@fairlead/base';
import type { SessionStreamEvent } from './session-stream-event.ts';

/** An event as it stands in `text/event-stream`. Only an entry has an id: whoever comes back begins after it. */
export function frameOf(event: SessionStreamEvent): string {
  if (event.kind === 'entry') return `id: ${event.cursor}\n${frame('entry', event.entry)}`;
  return frame(event.kind, dataOf(event));
}

/** What tells a reader, and whatever lies between, that the stream is alive. */
export const PING = frame('ping', {});

function dataOf(event: Exclude<SessionStreamEvent, { readonly kind: 'entry' }>): JsonObject {
  switch (event.kind) {
    case 'reset':
      return {};
    case 'delta': {
      const { turn, step, what: kind, at, text } = event;
      return { turn, step, kind, at, text };
    }
    default: {
      const { kind: _, ...data } = event;
      return data;
    }
  }
}

/** JSON has no line break in it. */
function frame(name: string, data: object): string {
  return `event: ${name}\ndata: ${encodeJson(data)}\n\n`;
}
