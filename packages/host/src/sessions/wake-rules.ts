import type { Database } from '@fairlead/store';
import type { Entry, UnknownEntry } from '../entries/entry.ts';
import { entriesBackwards } from '../entries/entry-log.ts';
import { sessionBounds } from '../limits.ts';
import { mentionsIn } from './mentions.ts';
import type { SessionMeta } from './session-meta.ts';

/** What the rules ask of the session that an entry stands in. */
export interface Room {
  readonly meta: SessionMeta;
  /** Turns of agents since a person or client spoke; asked only where an agent mentions another. */
  turnsSince(): Promise<number>;
  /** True where this peer wakes the agent. */
  isHome(agent: string): Promise<boolean>;
}

/**
 * Which agents an entry wakes on this peer, in their order. People, clients and directives wake who is mentioned, else the host agent; an
 * agent wakes another that it mentions, within the burst; extensions and the host wake nobody.
 */
export async function agentsToWake(entry: Entry | UnknownEntry, room: Room): Promise<readonly string[]> {
  if (room.meta.closed) return [];
  const agents: string[] = [];
  for (const agent of await addressed(entry, room)) if (await room.isHome(agent)) agents.push(agent);
  return agents;
}

async function addressed(entry: Entry | UnknownEntry, room: Room): Promise<readonly string[]> {
  const { meta } = room;
  const host = meta.host === undefined ? [] : [meta.host];
  if (entry.type === 'directive') {
    if (entry.from.kind === 'extension' || entry.from.kind === 'host') return [];
    return entry.agent === undefined ? host : attached([entry.agent], meta);
  }
  if (entry.type !== 'message') return [];
  switch (entry.from.kind) {
    case 'person':
    case 'client': {
      const mentioned = mentionedBy(entry, meta);
      return mentioned.length > 0 ? mentioned : host;
    }
    case 'agent': {
      if (entry.final === false) return [];
      const mentioned = mentionedBy(entry, meta).filter((agent) => agent !== entry.from.id);
      if (mentioned.length === 0) return [];
      return (await room.turnsSince()) < (meta.burst ?? sessionBounds.burst) ? mentioned : [];
    }
    default:
      return [];
  }
}

/** What the writer said, as far as it takes part; where it named nobody, what the text says. */
function mentionedBy(entry: Extract<Entry, { type: 'message' }>, meta: SessionMeta): readonly string[] {
  const named = attached(entry.mentions, meta);
  return named.length > 0 ? named : mentionsIn(entry.text, meta.agents);
}

function attached(ids: readonly string[], { agents }: SessionMeta): readonly string[] {
  const here = [...new Set(ids)].filter((id) => agents.some((agent) => agent.id === id));
  return here.slice(0, sessionBounds.mentions);
}

/** Turns that agents began since the last message of a person or client, however they ended. */
export async function turnsSincePerson(session: Database): Promise<number> {
  let turns = 0;
  for await (const entry of entriesBackwards(session)) {
    if (entry.type === 'ack') turns += 1;
    if (entry.type !== 'message') continue;
    if (entry.from.kind === 'person' || entry.from.kind === 'client') break;
  }
  return turns;
}
