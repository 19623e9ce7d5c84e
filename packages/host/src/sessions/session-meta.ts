import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { DENY_ALL, type Grants } from '../grants/grants.ts';
import { readGrants } from '../grants/read-grants.ts';
import { entryLimits, sessionBounds } from '../limits.ts';
import type { SessionMode } from '../policy/decide.ts';

/** An agent that takes part in a session. */
export interface AttachedAgent {
  readonly id: string;
  readonly name: string;
}

/** The turn and the call that a session was made for. */
export interface SessionParent {
  readonly session: string;
  readonly turn: string;
  readonly call: string;
}

/** What a session is, as this peer takes it. */
export interface SessionMeta {
  readonly name?: string;
  readonly mode: SessionMode;
  readonly source?: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly closed: boolean;
  /** Who answers where nobody is mentioned: always one of `agents`. */
  readonly host?: string;
  readonly model?: string;
  readonly models: ReadonlyMap<string, string>;
  readonly burst?: number;
  readonly grants?: Grants;
  readonly parent?: SessionParent;
  /** In the order in which they were attached. */
  readonly agents: readonly AttachedAgent[];
}

/**
 * Reads the document `meta` of a session, which any peer may have written: a mode that is none is `inspect`, grants that cannot be read
 * allow nothing, a model that is none of this peer's (`isModel`) is left out.
 */
export function readMeta(document: JsonObject, isModel: (ref: string) => boolean): SessionMeta {
  const { name, mode, source, created, closed, host, model, models, burst, grants, parent } = document;
  const agents = agentsIn(document['agents']);
  const own = isModelOf(model, isModel) ? model : undefined;
  const parentRead = parentIn(parent);
  return {
    ...(isWord(name) ? { name } : {}),
    mode: mode === undefined || mode === 'normal' ? 'normal' : mode === 'read_only' ? 'read_only' : 'inspect',
    ...(isWord(source) ? { source } : {}),
    created: isCount(created) ? created : 0,
    closed: closed !== undefined && closed !== null && closed !== false,
    ...(agents.some(({ id }) => id === host) ? { host: host as string } : {}),
    ...(own === undefined ? {} : { model: own }),
    models: new Map(
      Object.entries(isJsonObject(models) ? models : {}).filter((entry): entry is [string, string] =>
        isModelOf(entry[1], isModel),
      ),
    ),
    ...(isCount(burst) && burst >= 1 ? { burst: Math.min(burst, sessionBounds.burstMax) } : {}),
    ...(grants === undefined ? {} : { grants: grantsIn(grants) }),
    ...(parentRead === undefined ? {} : { parent: parentRead }),
    agents,
  };
}

function agentsIn(value: Json | undefined): readonly AttachedAgent[] {
  if (!isJsonObject(value)) return [];
  const attached = Object.entries(value).flatMap(([id, agent]) => {
    if (!isJsonObject(agent) || !id.startsWith('agt_') || !isWord(agent['name'])) return [];
    return [{ id, name: agent['name'], at: isCount(agent['attached']) ? agent['attached'] : 0 }];
  });
  return attached
    .sort((left, right) => left.at - right.at || (left.id < right.id ? -1 : 1))
    .slice(0, sessionBounds.attached)
    .map(({ id, name }) => ({ id, name }));
}

function grantsIn(value: Json): Grants {
  if (!isJsonObject(value)) return DENY_ALL;
  const reading = readGrants(value);
  return reading.ok ? reading.value : DENY_ALL;
}

function parentIn(value: Json | undefined): SessionParent | undefined {
  if (!isJsonObject(value)) return undefined;
  const { session, turn, call } = value;
  return isWord(session) && isWord(turn) && isWord(call) ? { session, turn, call } : undefined;
}

function isModelOf(value: Json | undefined, isModel: (ref: string) => boolean): value is string {
  return typeof value === 'string' && isModel(value);
}

function isWord(value: Json | undefined): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= entryLimits.wordBytes
  );
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
