import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, type ErrorTable, FairleadError, type Random } from '@fairlead/base';
import type { Journal, RuntimeTool } from '@fairlead/dispatch';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { createPairings } from './auth/pairings.ts';
import type { Tokens } from './auth/tokens.ts';
import { Callers } from './calls/callers.ts';
import { RunningRequests } from './calls/running-requests.ts';
import type { HostConfig } from './config/config-row.ts';
import { gatewayErrors } from './errors.ts';
import { createAdmission } from './http/admission.ts';
import { sendEnvelope, sendJson } from './http/answer.ts';
import { createClientAddress } from './http/client-address.ts';
import { refusalEnvelope, successEnvelope } from './http/envelope.ts';
import { isWildcard, urlHost } from './http/host-name.ts';
import { useJsonBodies } from './http/json-body.ts';
import { keepsConnection, requestFault } from './http/request-fault.ts';
import { createGuard } from './http/request-guard.ts';
import { httpLimits, sessionRouteLimits } from './limits.ts';
import { createLinkEndpoint, LINK_PATH } from './link/link-endpoint.ts';
import type { RunnerHub } from './link/runner-hub.ts';
import type { Log } from './log/log.ts';
import { createRefusalLog } from './log/refusal-log.ts';
import { addMcpRoute, type McpRoute } from './mcp/mcp-route.ts';
import { addAdminRoutes, type BackUp } from './server/admin-routes.ts';
import { addExtensionRoutes, type ExtensionAdministration } from './server/extension-routes.ts';
import { createHttpServer, type HttpTimes } from './server/http-server.ts';
import { OpenSockets } from './server/open-sockets.ts';
import { openApiDocument } from './server/openapi.ts';
import { addPairingRoutes } from './server/pairing-routes.ts';
import { addToolRoutes } from './server/tool-routes.ts';
import { addApprovalRoutes } from './sessions/approval-routes.ts';
import { addHostRoutes } from './sessions/host-routes.ts';
import { addScheduleRoutes } from './sessions/schedule-routes.ts';
import type { SessionPort } from './sessions/session-port.ts';
import { addSessionRoutes } from './sessions/session-routes.ts';
import { SessionStreams } from './sessions/session-streams.ts';
import { addStreamRoutes } from './sessions/stream-routes.ts';
import { addTurnRoutes } from './sessions/turn-routes.ts';
import './http/fastify-request.ts';

/** What a gateway is made of; `cli` composes them. */
export type GatewayOptions = {
  readonly config: HostConfig;
  readonly hub: RunnerHub;
  /** What callers can call, in the order of the list. */
  readonly tools: readonly RuntimeTool[];
  readonly tokens: Tokens;
  /** For `/api/admin/journal`. */
  readonly journal: Pick<Journal, 'page'>;
  readonly extensions: ExtensionAdministration;
  /** What runs sessions; without it their routes answer `sessions_unavailable`. */
  readonly sessions?: SessionPort;
  /** Its codes, which it raises before anything is done: what they mean and what to do. */
  readonly sessionErrors?: ErrorTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  readonly log: Log;
  /** For `/api/admin/status`. */
  readonly stateDirectory: string;
  readonly pid?: number;
  readonly backup: BackUp;
  /** Called once the answer to `/api/admin/stop` has left. */
  readonly onStop: () => void;
  /** Times that only tests change. */
  readonly times?: HttpTimes;
};

/** The HTTP endpoint of a host, the Runner link included. */
export type Gateway = {
  /**
   * Starts to listen. `url` is how this machine reaches it. Throws `port_in_use`, `bind_failed`.
   */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Takes nothing new, gives what runs 3 s to end, answers the rest, closes every Runner link and socket. */
  close(): Promise<void>;
};

export function createGateway(options: GatewayOptions): Gateway {
  return new HttpGateway(options);
}

class HttpGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #running: RunningRequests;
  /** Turns that somebody waits for. */
  readonly #runs: RunningRequests;
  readonly #streams: SessionStreams;
  readonly #callers: Callers;
  readonly #fastify: FastifyInstance;
  #mcp: McpRoute | null = null;
  #http: Server | null = null;
  readonly #sockets: OpenSockets;
  #url = '';
  #openApi: string | null = null;
  #isStopping = false;
  #closed: Promise<void> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { clock, tokens, config } = options;
    this.#running = new RunningRequests(clock, config.requestSecs * 1000);
    this.#runs = new RunningRequests(clock, sessionRouteLimits.runMs);
    this.#callers = new Callers(tokens);
    this.#sockets = new OpenSockets(config.connections);
    // Whatever streams are open, the other half of the sockets is for requests.
    this.#streams = new SessionStreams({ clock, tokens, most: Math.floor(config.connections / 2) });
    this.#fastify = this.#build();
  }

  async listen(): Promise<{ readonly url: string; readonly port: number }> {
    const { bind, port } = this.#options.config;
    await this.#fastify.ready();
    const server = this.#fastify.server;
    server.on('connection', (socket) => this.#sockets.take(socket));
    await new Promise<void>((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => reject(listenFault(error, bind, port));
      server.once('error', fail);
      server.listen({ host: bind, port }, () => {
        server.removeListener('error', fail);
        // An error that nobody listens for ends the process.
        server.on('error', (error: NodeJS.ErrnoException) =>
          this.#options.log('error', 'http.listener_failed', { reason: error.code }),
        );
        resolve();
      });
    });
    this.#http = server;
    const taken = (server.address() as AddressInfo).port;
    this.#url = `http://${urlHost(reachable(bind))}:${taken}`;
    return { url: this.#url, port: taken };
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#isStopping = true;
    this.#streams.close();
    this.#callers.close();
    const server = this.#http;
    if (server !== null) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // A turn is cut short by its host, which ends after this: nothing is gained by waiting for it here.
      await Promise.all([this.#running.drain(httpLimits.closeMs), this.#runs.drain(0)]);
      await this.#mcp?.answered();
      this.#options.hub.close();
      await this.#hangUp(closed);
      server.closeAllConnections();
      await closed;
    }
    await this.#fastify.close();
  }

  /**
   * Ends every socket after what was written on it, and gives the other side a moment to do the same: a socket that is
   * destroyed while something unread lies in it takes the last answer with it.
   */
  async #hangUp(closed: Promise<void>): Promise<void> {
    this.#sockets.end();
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.setTimer(httpLimits.hangUpMs, resolve);
      void closed.then(() => {
        timer.cancel();
        resolve();
      });
    });
    this.#sockets.destroy();
  }

  #build(): FastifyInstance {
    const { config, tokens, hub, tools, log, sessions: host, sessionErrors: errors } = this.#options;
    const guardOptions = { bind: config.bind, publicUrl: config.publicUrl };
    const guard = createGuard(guardOptions);
    const clientAddress = createClientAddress(config.trustedProxies);
    const refusals = createRefusalLog(log, this.#options.clock);
    const link = createLinkEndpoint({ hub, tokens, guard, clientAddress, log: refusals });
    const server = Fastify({
      logger: false,
      bodyLimit: config.bodyBytes,
      return503OnClosing: false,
      requestIdHeader: false,
      schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
      frameworkErrors: (error, _request, reply) => this.#answerError(error, reply as FastifyReply),
      serverFactory: (listener) =>
        createHttpServer(listener, {
          connections: config.connections,
          requestMs: config.requestSecs * 1000,
          link,
          ...(this.#options.times === undefined ? {} : { times: this.#options.times }),
        }),
    });
    useJsonBodies(server, config.bodyBytes);
    server.decorateRequest('principal', null);
    server.decorateRequest('claim', null);
    server.setErrorHandler((error: FastifyError, _request: FastifyRequest, reply) =>
      this.#answerError(error, reply),
    );
    const isStopping = () => this.#isStopping;
    const admission = createAdmission({
      guard,
      guardOptions,
      tokens,
      clientAddress,
      log: refusals,
      isStopping,
      letGo: (reply) => this.#letGo(reply),
    });
    server.addHook('onRequest', admission.everyRequest);

    const health = successEnvelope({ name: 'fairlead', version: this.#options.version });
    const { open } = admission;
    server.get('/healthz', { onRequest: open }, (_request, reply) => sendEnvelope(reply, health));
    server.get('/openapi.json', { onRequest: open }, (_request, reply) =>
      sendJson(reply, 200, this.#description()),
    );
    server.get(LINK_PATH, { onRequest: open, exposeHeadRoute: false }, (_request, reply) => {
      const connection = reply.raw.shouldKeepAlive ? 'Upgrade' : 'Upgrade, close';
      reply.header('upgrade', 'websocket').header('connection', connection);
      sendEnvelope(reply, refusalEnvelope('upgrade_required'));
    });
    const running = this.#running;
    const callers = this.#callers;
    addToolRoutes(server, { admission, tools, running, callers, log });
    this.#mcp = addMcpRoute(server, {
      ...{ admission, tools, running, callers, log },
      version: this.#options.version,
    });
    addAdminRoutes(server, {
      admission,
      tokens,
      runners: hub,
      journal: this.#options.journal,
      running,
      log,
      stateDirectory: this.#options.stateDirectory,
      pid: this.#options.pid ?? process.pid,
      url: () => this.#url,
      backup: this.#options.backup,
      extensions: this.#options.extensions,
      agents: host === undefined ? undefined : () => host.status(),
      onStop: this.#options.onStop,
    });
    const about = { admission, host, errors, running, log };
    addSessionRoutes(server, about);
    addTurnRoutes(server, { ...about, runs: this.#runs, callers });
    addApprovalRoutes(server, about);
    addScheduleRoutes(server, about);
    addHostRoutes(server, about);
    addStreamRoutes(server, { ...about, streams: this.#streams });
    addExtensionRoutes(server, { admission, extensions: this.#options.extensions, running, log });
    addPairingRoutes(server, {
      admission,
      tokens,
      pairings: createPairings({ clock: this.#options.clock, random: this.#options.random }),
      running,
      log,
      refusals,
      clientAddress,
      url: () => config.publicUrl ?? this.#url,
    });
    return server;
  }

  /** Where sockets are scarce, one that has shown no token is closed with its answer: its place is for who has one. */
  #letGo(reply: FastifyReply): void {
    if (this.#sockets.areScarce && !reply.request.claim) reply.raw.shouldKeepAlive = false;
  }

  /** The HTTP API's description, made when somebody first asks for it. */
  #description(): string {
    const { version, tools, config, sessionErrors: errors } = this.#options;
    const url = config.publicUrl ?? this.#url;
    this.#openApi ??= JSON.stringify(openApiDocument({ version, tools, url, errors }));
    return this.#openApi;
  }

  #answerError(error: Partial<FastifyError>, reply: FastifyReply): void {
    const { code, detail } = requestFault(error);
    const isOurs = code === 'internal_error';
    if (isOurs) this.#options.log('error', 'http.failed', { reason: error.message ?? null });
    this.#letGo(reply);
    if (keepsConnection(code) && reply.raw.shouldKeepAlive) reply.removeHeader('connection');
    sendEnvelope(
      reply,
      refusalEnvelope(code, {
        ...(detail === undefined ? {} : { detail }),
        certainty: isOurs ? 'outcome_unknown' : 'not_started',
      }),
    );
  }
}

/**
 * No route declares a schema: bodies are read by the one scanner and answers are written as they stand. Saying so keeps
 * fastify from loading a schema compiler at each start, which takes longer than the rest of it.
 */
const noSchemas = (): never => {
  throw new Error('no route of the gateway declares a schema');
};

function listenFault(error: NodeJS.ErrnoException, bind: string, port: number): FairleadError {
  const isTaken = error.code === 'EADDRINUSE';
  const code = isTaken ? 'port_in_use' : 'bind_failed';
  const message = isTaken
    ? `port ${port} on ${bind} is taken by another program`
    : `this machine does not let the gateway listen on ${bind} port ${port}`;
  return new FairleadError(code, message, {
    detail: { bind, port, next: gatewayErrors[code].next },
    cause: error,
  });
}

/** The address by which this machine itself reaches what listens on `bind`. */
function reachable(bind: string): string {
  if (!isWildcard(bind)) return bind;
  return bind === '::' ? '::1' : '127.0.0.1';
}
