import type { Exchange } from './plugin-session.ts';
import { shownBytes } from './shown.ts';

/** What came of a request, in a few words. */
export function seenOf(exchange: Exchange): string {
  const [noise] = exchange.noise;
  switch (exchange.kind) {
    case 'line':
      return shownBytes(noise ?? exchange.line);
    case 'timeout':
      return 'no answer';
    case 'stdin_closed':
      return 'its stdin was closed';
    case 'ended': {
      const { exit, end } = exchange;
      if (end !== 'eof') return `its output ended: ${end.replaceAll('_', ' ')}`;
      return exit === null ? 'its stdout was closed' : `it ended (${exit.code ?? exit.signal})`;
    }
  }
}
