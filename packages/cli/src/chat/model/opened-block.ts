import type { Block } from './block.ts';
import type { SessionShown } from './chat-events.ts';

/** What a session begins with on the screen: what it is called, and who answers. */
export function openedBlock(session: SessionShown, dot: string): Block & { readonly kind: 'opened' } {
  const { id, name, agents, isClosed } = session;
  const text = name === '' ? `Session ${id}` : `Session ${name}`;
  const [first, ...others] = agents;
  const who =
    first === undefined
      ? 'nobody answers here'
      : others.length === 0
        ? `${first} answers`
        : `${first} answers, with ${others.join(', ')}`;
  const closed = isClosed ? ` ${dot} closed` : '';
  return {
    kind: 'opened',
    text: `Fairlead ${dot} ${text}`,
    more: `${who}${closed} ${dot} /help, F1 for keys`,
  };
}
