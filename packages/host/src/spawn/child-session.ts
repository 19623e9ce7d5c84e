import { isJsonObject, type JsonObject } from '@fairlead/base';
import { ENTRIES_TABLE, effectiveSet, putDeactivated } from '@fairlead/hub';
import type { RecordRef } from '@fairlead/store';
import { entryValue } from '../entries/write-entry.ts';
import type { FsGrant, Grants } from '../grants/grants.ts';
import { grantsJson } from '../grants/grants-json.ts';
import { grantsInForce, WORKSPACE } from '../grants/in-place.ts';
import { realPath } from '../grants/real-path.ts';
import { modeInForce } from '../sessions/lineage.ts';
import type { SessionMeta } from '../sessions/session-meta.ts';
import type { NewSession } from '../sessions/sessions.ts';
import { speakerOf } from '../sessions/turns.ts';
import { addWake } from '../sessions/wakes.ts';
import type { RunningTurn } from '../turn/running-turns.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';

export interface ChildSession {
  /** The turn that gives the task, and the call that it does so in. */
  readonly by: RunningTurn;
  readonly call: string;
  /** Whose task it is, by id. */
  readonly agent: string;
  readonly source: string;
  readonly text: string;
}

const SETTINGS = 'extension_settings';

/**
 * Makes a session for one task: in the folder of the one that it comes from, with no more rights than its giver has there, with the same
 * extensions on and the same settings, and with the task in it. All or nothing, on disk when it resolves. Rejects with `entry_invalid` for a
 * task that is too long, or a code of the store.
 */
export async function makeChildSession(floor: TurnFloor, child: ChildSession): Promise<string> {
  const { sessions, agents, clock, hub } = floor;
  const { by, call, agent, source } = child;
  // A model wrote it, and it is kept.
  const text = floor.leaks.text(child.text).value;
  const parent = await sessions.meta(by.session);
  const mode = await modeInForce(sessions, by.session);
  const database = await sessions.open(by.session);
  const settings = (await database.doc(SETTINGS).get()) as JsonObject;
  // What its giver has opted out of is off there for everybody.
  const on = await effectiveSet({ session: database, agent: await agents.open(by.agent.id) });
  const off = hub.extensions().filter(({ name }) => !on.has(name));
  const made = { ...(await placeOf(floor, by, parent)), mode };
  const body = { type: 'directive', text, agent, parent: by.turn } as const;
  const task = entryValue(body, speakerOf(by.agent), clock);
  let entry: RecordRef | undefined;
  return await sessions.create(
    { ...made, agents: [agent], source, parent: { session: by.session, turn: by.turn, call } },
    {
      inSession(session) {
        for (const [extension, own] of Object.entries(settings))
          if (isJsonObject(own)) session.set(SETTINGS, [extension], own);
        for (const { name } of off) putDeactivated(session, name, clock);
        entry = session.append(ENTRIES_TABLE, task);
      },
      beside(tx, session) {
        if (entry !== undefined) addWake(tx, { session, entry, agent, kind: 'directive', parent: by.turn });
      },
    },
  );
}

/** Folder and model of the session that it comes from, and what both that session and the giver may touch. */
async function placeOf(
  floor: TurnFloor,
  by: RunningTurn,
  { model, grants }: SessionMeta,
): Promise<NewSession> {
  const workspace = await floor.workspace(by.session);
  const { links } = floor;
  const inForce = await grantsInForce([grants, by.config.grants], { workspace, links });
  const record = grantsJson(portable(inForce, (await realPath(workspace, links)) ?? workspace));
  return { workspace, ...(model === undefined ? {} : { model }), grants: record };
}

/** What stands in the session's folder by the word for it: its name belongs to this machine. */
function portable(grants: Grants, workspace: string): Grants {
  if (grants.fs === undefined) return grants;
  const inside = (path: string) => path === workspace || path.startsWith(`${workspace}/`);
  const named = (path: string) => (inside(path) ? WORKSPACE + path.slice(workspace.length) : path);
  const lists = Object.entries(grants.fs) as readonly (readonly [keyof FsGrant, readonly string[]])[];
  return { ...grants, fs: Object.fromEntries(lists.map(([use, paths]) => [use, paths.map(named)])) };
}
