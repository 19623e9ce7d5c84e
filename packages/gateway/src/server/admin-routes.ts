import { isAbsolute } from 'node:path';
import { hasValue, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { isScope, type Journal, mayUseRunner, type Principal, type RunnerPort } from '@fairlead/dispatch';
import type { FastifyInstance } from 'fastify';
import type { Tokens } from '../auth/tokens.ts';
import type { RunningRequests } from '../calls/running-requests.ts';
import { type Admission, missingScope } from '../http/admission.ts';
import { sendEnvelope } from '../http/answer.ts';
import { answerWith } from '../http/coded-answer.ts';
import { type Envelope, refusalEnvelope, successEnvelope } from '../http/envelope.ts';
import { httpLimits } from '../limits.ts';
import type { Log } from '../log/log.ts';
import type { ExtensionAdministration } from './extension-routes.ts';
import { readJournalQuery } from './journal-query.ts';
import { readTokenBody } from './token-body.ts';

/** What the routes of this machine's own commands need. */
export type AdminRouteOptions = {
  readonly admission: Admission;
  readonly tokens: Tokens;
  readonly runners: RunnerPort;
  readonly journal: Pick<Journal, 'page'>;
  readonly running: RunningRequests;
  readonly log: Log;
  readonly stateDirectory: string;
  readonly pid: number;
  readonly url: () => string;
  readonly backup: BackUp;
  readonly extensions: Pick<ExtensionAdministration, 'list'>;
  /** What its host of sessions does; absent where there is none. */
  readonly agents: (() => Promise<object>) | undefined;
  readonly onStop: () => void;
};

/**
 * Copies the database and keys of the state directory to a folder that does not exist yet, while writing goes on; the folder is
 * there whole or not at all. Rejects with a code of the store.
 */
export type BackUp = (to: string) => Promise<void>;

/** Those of a list of extensions that do not run, or not everywhere, and why: nobody should have to look for them. */
function extensionsDown(list: Json): JsonObject[] {
  const rows = isJsonObject(list) ? list['extensions'] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.filter(isJsonObject).flatMap((row) => {
    const { name = null, state = null, reason = null, failures } = row;
    if (state === 'running') return [];
    const first: Json = Array.isArray(failures) ? (failures[0] ?? null) : null;
    const why = [reason, first].find(isJsonObject) ?? {};
    return [{ name, state, code: why['code'] ?? null, reason: why['reason'] ?? null }];
  });
}

/** `/api/admin/…`: tokens, status, journal, backup, stop. */
export function addAdminRoutes(server: FastifyInstance, options: AdminRouteOptions): void {
  const { tokens, log } = options;
  const route = { onRequest: options.admission.admin };

  server.get('/api/admin/tokens', route, (_request, reply) =>
    sendEnvelope(reply, successEnvelope({ tokens: tokens.list() as unknown as Json })),
  );

  server.post('/api/admin/tokens', route, (request, reply) => {
    const principal = request.principal as Principal;
    answerWith(reply, options, () => mint(tokens, (request.body ?? null) as Json, principal));
  });

  server.delete<{ Params: { id: string } }>('/api/admin/tokens/:id', route, (request, reply) => {
    const { id } = request.params;
    answerWith(reply, options, async () => {
      if (!(await tokens.revoke(id))) return refusalEnvelope('token_not_found');
      log('info', 'token.revoked', { token_id: id });
      return successEnvelope({ id, revoked: true });
    });
  });

  server.get('/api/admin/status', route, (request, reply) => {
    const principal = request.principal as Principal;
    answerWith(reply, options, async () => successEnvelope(await status(options, principal)));
  });

  server.get('/api/admin/journal', route, (request, reply) => {
    const { runners } = request.principal as Principal;
    const reading = readJournalQuery(request.query as Record<string, unknown>);
    if (!reading.ok) {
      const { member, problem } = reading;
      return sendEnvelope(reply, refusalEnvelope('query_invalid', { detail: { member, problem } }));
    }
    answerWith(reply, options, async () => {
      const page = await options.journal.page({ ...reading.query, runners });
      return page === null
        ? refusalEnvelope('journal_entry_not_found')
        : successEnvelope(page as unknown as Json);
    });
  });

  server.post('/api/admin/backup', route, (request, reply) => {
    const body = (request.body ?? null) as Json;
    answerWith(reply, options, async () => {
      const to = isJsonObject(body) ? body['to'] : undefined;
      if (typeof to !== 'string' || !isAbsolute(to) || to.includes('\0'))
        return refusalEnvelope('invalid_body', {
          detail: { member: 'to', problem: 'must be an absolute path' },
        });
      await options.backup(to);
      log('info', 'backup.written', { to });
      return successEnvelope({ to });
    });
  });

  server.post('/api/admin/stop', route, (_request, reply) => {
    // The answer leaves first: whoever asked must not read the end of the process as a lost answer.
    reply.raw.once('close', options.onStop);
    reply.header('connection', 'close');
    sendEnvelope(reply, successEnvelope({ stopping: true }));
  });
}

async function mint(tokens: Tokens, body: Json, principal: Principal): Promise<Envelope> {
  const wanted = readTokenBody(body);
  if (!wanted.ok)
    return refusalEnvelope('token_request_invalid', {
      detail: { member: wanted.member, problem: wanted.problem },
    });
  const reach = wanted.kind === 'runner' ? [wanted.request.runner] : wanted.request.runners;
  // Who makes a token cannot give more than it has: no scope implies another, `admin` included.
  if (wanted.kind === 'personal') {
    // A word that is no scope is refused further on, without being repeated.
    const missing = wanted.request.scopes.find(
      (scope) => isScope(scope) && !principal.scopes.includes(scope),
    );
    if (missing !== undefined) return missingScope(missing);
  }
  if (
    principal.runners !== undefined &&
    !(reach?.every((runner) => principal.runners?.includes(runner)) ?? false)
  ) {
    return refusalEnvelope('token_request_invalid', {
      detail: {
        member: wanted.kind === 'runner' ? 'runner' : 'runners',
        problem: 'reaches Runners that the asking token does not',
      },
    });
  }
  const minted =
    wanted.kind === 'runner' ? await tokens.mintRunner(wanted.request) : await tokens.mint(wanted.request);
  return successEnvelope({ secret: minted.secret, token: minted.token as unknown as Json });
}

/** A token that is limited to some Runners sees no other here either. */
async function status(options: AdminRouteOptions, principal: Principal): Promise<JsonObject> {
  const visible = options.runners.runners().filter(({ runner }) => mayUseRunner(principal, runner));
  const runners = await Promise.all(
    visible.map(async ({ runner, instanceId }) => {
      const outcome = await options.runners.request(
        runner,
        instanceId,
        { kind: 'providers_list' },
        { budgetMs: httpLimits.statusMs },
      );
      if (!hasValue(outcome)) return { runner, plugins: [], errorCode: outcome.fault.code };
      const { value } = outcome;
      const providers = value.kind === 'providers_list' ? value.providers : [];
      return {
        runner,
        plugins: providers.map((row) => ({ plugin: row.id, status: row.status, errorCode: row.error_code })),
      };
    }),
  );
  return {
    running: true,
    url: options.url(),
    pid: options.pid,
    stateDirectory: options.stateDirectory,
    runners,
    extensions: extensionsDown(options.extensions.list()),
    agents: ((await options.agents?.()) ?? null) as Json,
  };
}
