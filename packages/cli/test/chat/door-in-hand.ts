import { FairleadError, type Json, type JsonObject } from '@fairlead/base';
import type { HostDoor } from '../../src/chat/wire/host-door.ts';
import type { HostRequest } from '../../src/client/ask-host.ts';
import type { StreamEvent } from '../../src/client/event-stream.ts';

/** A stream that a test plays. */
export type PlayedStream = {
  readonly path: string;
  readonly after: string | undefined;
  tell(event: string, data?: JsonObject, id?: string): void;
  /** It breaks, or was refused with a status. */
  end(status?: number | null): void;
  readonly isClosed: boolean;
};

export type Answer = Json | FairleadError | Promise<Json>;

/** A host that a test plays: each request is answered by the route of its method and path, the newest stream is the last one. */
export class DoorInHand implements HostDoor {
  readonly requests: HostRequest[] = [];
  readonly streams: PlayedStream[] = [];
  isAway = false;
  /** Streams open at once; otherwise the test opens them by telling something. */
  readonly #routes: Record<string, (request: HostRequest) => Answer>;

  constructor(routes: Readonly<Record<string, (request: HostRequest) => Answer>> = {}) {
    this.#routes = { ...routes };
  }

  route(name: string, answer: (request: HostRequest) => Answer): void {
    this.#routes[name] = answer;
  }

  /** The bodies that were sent to a route. */
  bodies(name: string): Json[] {
    return this.requests.flatMap(({ method, path, body = null }) =>
      `${method} ${path}` === name ? [body] : [],
    );
  }

  async ask(request: HostRequest): Promise<Json> {
    this.requests.push(request);
    if (this.isAway) throw new FairleadError('server_unreachable', 'No server answers.');
    const route = this.#routes[`${request.method} ${request.path}`];
    if (route === undefined) throw new FairleadError('not_routed', `${request.method} ${request.path}`);
    const answer = await route(request);
    if (answer instanceof FairleadError) throw answer;
    return answer;
  }

  async listen(path: string, after: string | undefined, hear: (event: StreamEvent) => void) {
    if (this.isAway) return null;
    const { promise: closed, resolve } = Promise.withResolvers<number | null>();
    let isClosed = false;
    const end = (status: number | null) => {
      isClosed = true;
      resolve(status);
    };
    this.streams.push({
      ...{ path, after },
      tell: (event, data = {}, id) => hear({ event, data, ...(id === undefined ? {} : { id }) }),
      end: (status = 200) => end(status),
      get isClosed() {
        return isClosed;
      },
    });
    return { opened: Promise.resolve(), closed, close: () => end(200) };
  }
}

export const ID = 'ses_aaaaaaaaaaaaaaaaaaaaaa';
export const PATH = `/api/sessions/${ID}`;

const VIEW: JsonObject = {
  ...{ id: ID, name: 'work', mode: 'normal', closed: false, host: 'agt_1', model: null, running: null },
  agents: [{ id: 'agt_1', name: 'ada' }],
};

/** What a host without entries answers to a chat. */
export function sessionRoutes(
  entries: () => readonly JsonObject[] = () => [],
): Record<string, (request: HostRequest) => Answer> {
  return {
    [`GET ${PATH}`]: () => VIEW,
    [`GET ${PATH}/entries`]: () => ({ entries: [...entries()].reverse(), before: null }),
    [`POST ${PATH}/command`]: ({ body }) => commandAnswer(body),
    'GET /api/sessions?limit=200': () => ({
      sessions: [
        { id: ID, name: 'work' },
        { id: 'ses_other', name: null },
      ],
    }),
    'GET /api/models': () => ({ default: 'demo/script', models: ['demo/script'] }),
  };
}

function commandAnswer(body: Json | undefined): Answer {
  const line = (body as { readonly line: string }).line;
  const answers: Readonly<Record<string, Json>> = {
    '/help': {
      host: [{ name: 'costs', aliases: ['cost'], about: 'What it cost.', usage: '/costs' }],
      extensions: [{ name: 'greet', owner: 'x', about: 'Greets.', usage: '/greet <agent>' }],
    },
    '/agent hosted': { agents: [{ name: 'ada' }] },
    '/extensions list': { extensions: [{ name: 'fs' }] },
    '/approvals': { approvals: [] },
    '/groups': { groups: { review: ['ada'] } },
  };
  const data = answers[line];
  if (data === undefined) return new FairleadError('unknown_command', `There is no ${line}.`);
  return { text: '', data };
}
