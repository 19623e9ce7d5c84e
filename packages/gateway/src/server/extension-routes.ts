import { failed, hasValue, isJsonObject, type Json, type Outcome } from '@fairlead/base';
import type { Principal } from '@fairlead/dispatch';
import type { FastifyInstance } from 'fastify';
import type { RunningRequests } from '../calls/running-requests.ts';
import type { Admission } from '../http/admission.ts';
import { answerWith } from '../http/coded-answer.ts';
import { type Envelope, failureEnvelope, refusalEnvelope, successEnvelope } from '../http/envelope.ts';
import type { Log } from '../log/log.ts';

/** The host's extensions, as its own commands administer them; `cli` hands over what the hub and its loaders do. */
export interface ExtensionAdministration {
  /** `{extensions: […], failures: […]}`. */
  list(): Json;
  /** What an extension printed last; `extension_unknown` where there is none of that name. */
  output(name: string): Outcome<Json>;
  /** Loads the extension of an absolute folder. */
  load(folder: string): Promise<Outcome<Json>>;
  /** Loads the folder of an extension again and puts it in the place of what runs. */
  reload(name: string): Promise<Outcome<Json>>;
  unload(name: string): Promise<Outcome<Json>>;
  /** What there is of foreign tools; absent where nothing is. */
  readonly catalogs?: CatalogAdministration;
}

/** What was approved of tools that stand behind extensions: those of MCP servers. */
interface CatalogAdministration {
  /** What is not what was approved: `{name, tools: [{tool, state, observation, marks, warnings, lines}]}`. */
  diff(name: string, tool?: string): Outcome<Json>;
  /** Approves what was seen: the observation by tool, null for one that is gone. `{name, approved: […]}` */
  approve(name: string, seen: ReadonlyMap<string, string | null>, by: string): Promise<Outcome<Json>>;
}

export type ExtensionRouteOptions = {
  readonly admission: Admission;
  readonly extensions: ExtensionAdministration;
  readonly running: RunningRequests;
  readonly log: Log;
};

type Named = { Params: { name: string } };

/** `/api/admin/extensions…`: for commands on this machine. */
export function addExtensionRoutes(server: FastifyInstance, options: ExtensionRouteOptions): void {
  const { extensions, log } = options;
  const route = { onRequest: options.admission.admin };
  const carry = async (
    act: 'load' | 'reload' | 'unload',
    what: string,
    outcome: Promise<Outcome<Json>>,
  ): Promise<Envelope> => {
    const ended = await outcome;
    if (hasValue(ended)) log('info', `extension.${act}ed`, { extension: nameIn(ended.value) ?? what });
    else {
      const { code, message } = ended.fault;
      log('warn', `extension.${act}_failed`, { extension: what, code, reason: message });
    }
    return outcomeEnvelope(ended);
  };

  server.get('/api/admin/extensions', route, (_request, reply) =>
    answerWith(reply, options, async () => successEnvelope(extensions.list())),
  );

  server.post('/api/admin/extensions', route, (request, reply) => {
    const body = (request.body ?? null) as Json;
    answerWith(reply, options, async () => {
      const path = isJsonObject(body) ? body['path'] : undefined;
      if (typeof path !== 'string' || path === '')
        return refusalEnvelope('invalid_body', { detail: { member: 'path', problem: 'must name a folder' } });
      return await carry('load', path, extensions.load(path));
    });
  });

  server.post<Named>('/api/admin/extensions/:name/reload', route, (request, reply) => {
    const { name } = request.params;
    answerWith(reply, options, () => carry('reload', name, extensions.reload(name)));
  });

  server.get<Named>('/api/admin/extensions/:name/output', route, (request, reply) => {
    const { name } = request.params;
    answerWith(reply, options, async () => outcomeEnvelope(extensions.output(name)));
  });

  server.get<Named & { Querystring: { tool?: string } }>(
    '/api/admin/extensions/:name/diff',
    route,
    (request, reply) => {
      const { tool } = request.query;
      answerWith(reply, options, async () =>
        outcomeEnvelope(
          extensions.catalogs?.diff(request.params.name, typeof tool === 'string' ? tool : undefined) ??
            NO_CATALOG,
        ),
      );
    },
  );

  server.post<Named>('/api/admin/extensions/:name/approve', route, (request, reply) => {
    const { name } = request.params;
    const { id } = request.principal as Principal;
    const seen = seenIn((request.body ?? null) as Json);
    answerWith(reply, options, async () => {
      if (seen === null)
        return refusalEnvelope('invalid_body', {
          detail: { member: 'tools', problem: 'must be a list of {tool, observation}' },
        });
      return outcomeEnvelope((await extensions.catalogs?.approve(name, seen, id)) ?? NO_CATALOG);
    });
  });

  server.delete<Named>('/api/admin/extensions/:name', route, (request, reply) => {
    const { name } = request.params;
    answerWith(reply, options, () => carry('unload', name, extensions.unload(name)));
  });
}

const NO_CATALOG = failed(
  'not_started',
  'extension_unknown',
  'No extension of this name has a catalog here.',
);

function seenIn(body: Json): ReadonlyMap<string, string | null> | null {
  const tools = isJsonObject(body) ? body['tools'] : undefined;
  if (!Array.isArray(tools)) return null;
  const seen = new Map<string, string | null>();
  for (const entry of tools as readonly Json[]) {
    const { tool, observation } = isJsonObject(entry) ? entry : {};
    if (typeof tool !== 'string' || (typeof observation !== 'string' && observation !== null)) return null;
    seen.set(tool, observation);
  }
  return seen;
}

function nameIn(value: Json): string | undefined {
  const name = isJsonObject(value) ? value['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function outcomeEnvelope(outcome: Outcome<Json>): Envelope {
  if (hasValue(outcome)) return successEnvelope(outcome.value);
  return failureEnvelope(outcome.fault, outcome.certainty);
}
