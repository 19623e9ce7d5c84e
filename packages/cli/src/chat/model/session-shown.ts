import { isJsonObject, type JsonObject } from '@fairlead/base';
import { objectsIn } from '../../output/safe-text.ts';
import { word } from './block.ts';
import type { SessionShown } from './chat-events.ts';

/** What the host shows of a session. */
export function sessionShown(view: JsonObject): SessionShown {
  const agents = objectsIn(view['agents']);
  const isHost = ({ id }: JsonObject) => id === view['host'];
  const ordered = [...agents.filter(isHost), ...agents.filter((agent) => !isHost(agent))];
  const { running = null } = view;
  return {
    id: word(view['id']),
    name: word(view['name']),
    agents: ordered.map(({ name }) => word(name)),
    model: word(view['model']),
    mode: word(view['mode']),
    isClosed: view['closed'] === true,
    running: isJsonObject(running) ? running : null,
  };
}
