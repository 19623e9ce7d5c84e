import { isJsonObject } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import type { AskHost } from './ask-host.ts';
import { checkModel } from './check-model.ts';
import { sessionOrNone } from './find-session.ts';
import { type HostStanding, hostStanding } from './host-standing.ts';

/** Where sessions are found and made: a host that is asked, or one in this process. */
export type SessionDoor = {
  standing(): Promise<HostStanding>;
  /** Rejects with `model_unknown`. */
  checkModel(model: string): Promise<void>;
  /** The id by id or name; null for a name that no open one has. Rejects with `session_unknown`, `session_ambiguous`. */
  find(session: string): Promise<string | null>;
  /** Answers its id. */
  make(made: {
    readonly agents: readonly string[];
    readonly workspace: string;
    readonly name?: string;
  }): Promise<string>;
};

/** The session that somebody wants to say something in. */
export type SessionWish = {
  /** Its name or id; a name that none has makes one. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** The folder of a new one. */
  readonly workspace: string;
};

/** The door of a host that is asked. */
export function sessionDoor(ask: AskHost): SessionDoor {
  return {
    standing: () => hostStanding(ask),
    checkModel: (model) => checkModel(ask, model),
    find: (session) => sessionOrNone(ask, session),
    make: async ({ agents, ...more }) => {
      const body = { agents: [...agents], ...more };
      const made = await ask({ method: 'POST', path: '/api/sessions', body });
      const id = isJsonObject(made) ? made['id'] : undefined;
      if (typeof id === 'string') return id;
      throw cliError('answer_lost', { detail: { reason: 'an answer without an id' } });
    },
  };
}

/** The one that is named, where there is one. First of all the model: a session that nothing can be said in would stay. */
export async function knownSession(
  door: SessionDoor,
  { session, model }: Pick<SessionWish, 'session' | 'model'>,
): Promise<string | null> {
  if (model !== undefined) await door.checkModel(model);
  return session === undefined ? null : await door.find(session);
}

/** A new one, with the agent that answers where nobody is named. Rejects with `model_missing` where nobody does. */
export async function newSession(
  door: SessionDoor,
  { session, agent, workspace }: SessionWish,
  standing: Pick<HostStanding, 'first' | 'hasModel'>,
): Promise<string> {
  const answers = agent ?? (standing.hasModel ? standing.first : null);
  if (answers === null) throw cliError('model_missing');
  return await door.make({
    agents: [answers],
    workspace,
    ...(session === undefined ? {} : { name: session }),
  });
}
