import { isJsonObject, type Json, type JsonObject, parseJson } from '@fairlead/base';
import type { ApprovalRowShown, SessionPort, SessionRow } from './session-port.ts';

/** A session as the routes show it. `withPaths`: the folder of this machine too. */
export function sessionView(
  host: Pick<SessionPort, 'running'>,
  { id, workspace, lastAtMs, meta }: SessionRow,
  withPaths: boolean,
): JsonObject {
  return {
    id,
    name: meta.name ?? null,
    mode: meta.mode,
    source: meta.source ?? null,
    closed: meta.closed,
    agents: meta.agents.map((agent) => ({ id: agent.id, name: agent.name })),
    host: meta.host ?? null,
    model: meta.model ?? null,
    parent: meta.parent === undefined ? null : { ...meta.parent },
    createdAtMs: meta.created,
    lastAtMs,
    running: runningView(host.running(id)),
    ...(withPaths ? { workspace } : {}),
  };
}

function runningView(running: ReturnType<SessionPort['running']>): Json {
  if (running === undefined) return null;
  const { turn, agent, state, tool } = running;
  return { turn, agent, state, ...(tool === undefined ? {} : { tool }) };
}

/** An approval as the routes show it. `arguments` are whole, sensitive ones masked. */
export function approvalView(row: ApprovalRowShown): JsonObject {
  const { arguments: given = {}, extension = '', ...shown } = shownIn(row.shown);
  return {
    id: row.id,
    principal: row.principal,
    session: row.session,
    turn: row.turn,
    call: row.call,
    tool: row.tool,
    extension,
    target: row.target,
    risk: row.risk,
    arguments: given,
    shown,
    state: row.state,
    openedAtMs: row.opened_at,
    untilMs: row.until,
  };
}

/** What cannot be read stands there as it is: nobody is to decide about what is not shown. */
function shownIn(text: string): JsonObject {
  const bytes = Buffer.byteLength(text);
  const bounds = {
    maxBytes: bytes,
    maxDepth: 64,
    maxNodes: bytes + 1,
    maxStringBytes: bytes,
    maxKeyBytes: bytes,
  };
  const parsed = parseJson(Buffer.from(text), bounds);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : { arguments: text };
}

/** The models as the routes show them. `withPlaces`: addresses and files of the back ends too. */
export function modelsView(models: SessionPort['models'], withPlaces: boolean): JsonObject {
  const backends = models
    .list()
    .map((line) =>
      Object.fromEntries(Object.entries(line).filter(([name]) => withPlaces || !PLACES.has(name))),
    );
  return { default: models.default ?? null, models: [...models.refs], backends: backends as unknown as Json };
}

const PLACES: ReadonlySet<string> = new Set(['baseUrl', 'file']);
