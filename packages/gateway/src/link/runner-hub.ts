import type { Clock, Outcome } from '@fairlead/base';
import type {
  RunnerEvents,
  RunnerListener,
  RunnerPort,
  RunnerRequestOptions,
  VisibleRunner,
} from '@fairlead/dispatch';
import type { RegisterFrame, RunnerPayload, RunnerRequest } from '@fairlead/protocol';
import type { RunnerClaim, Tokens } from '../auth/tokens.ts';
import type { GatewayErrorCode } from '../errors.ts';
import { hubLimits } from '../limits.ts';
import type { Log } from '../log/log.ts';
import { createRefusalLog } from '../log/refusal-log.ts';
import { type LinkCounters, newLinkCounters } from './link-counters.ts';
import type { LinkSocket } from './link-socket.ts';
import { linkFailure } from './pending-request.ts';
import { type ConnectionOwner, RunnerConnection, visibleRunner } from './runner-connection.ts';

/** The Runners that are connected, and the way to them. */
export type RunnerHub = RunnerPort &
  RunnerEvents & {
    /** True while another socket with this token may wait for its `register`. */
    hasRoom(tokenId: string): boolean;
    readonly counters: Readonly<LinkCounters>;
    /** Takes over a socket whose upgrade carried a live Runner token. The caller passes it what the socket says. */
    attach(socket: LinkSocket, claim: RunnerClaim): RunnerConnection;
    /** Says goodbye to every Runner; whatever waits has its outcome when this returns. */
    close(): void;
  };

/** `tokens` tells of revocations: the link of a revoked token ends in the same turn. */
export function createRunnerHub(options: {
  readonly tokens: Pick<Tokens, 'onRevoked'>;
  readonly clock: Clock;
  readonly log: Log;
}): RunnerHub {
  return new Hub(options);
}

class Hub implements RunnerHub, ConnectionOwner {
  readonly #clock: Clock;
  readonly #log: Log;
  /** By token: whoever dials or fails without end fills neither the disk nor the lines about others. */
  readonly #logs = new Map<string, Log>();
  readonly #stopListening: () => void;
  readonly #unregistered = new Set<RunnerConnection>();
  readonly #registered = new Map<string, RunnerConnection>();
  readonly #listeners = new Set<RunnerListener>();
  readonly counters = newLinkCounters();
  /** Rebuilt when a Runner comes or goes: it is read on every call. */
  #visible: readonly VisibleRunner[] = [];

  constructor(options: {
    readonly tokens: Pick<Tokens, 'onRevoked'>;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#stopListening = options.tokens.onRevoked((tokenId) => {
      for (const connection of this.#all())
        if (connection.tokenId === tokenId) connection.end('runner_token_ended');
      this.#logs.delete(tokenId);
    });
  }

  hasRoom(tokenId: string): boolean {
    const own = [...this.#unregistered].filter((connection) => connection.tokenId === tokenId);
    return this.#unregistered.size < hubLimits.unregistered && own.length < hubLimits.unregisteredOfToken;
  }

  runners(): readonly VisibleRunner[] {
    return this.#visible;
  }

  request(
    runner: string,
    instanceId: string,
    request: RunnerRequest,
    options: RunnerRequestOptions,
  ): Promise<Outcome<RunnerPayload>> {
    return new Promise((settle) => {
      const connection = this.#registered.get(runner);
      if (connection?.registration?.instance_id === instanceId) connection.request(request, options, settle);
      else settle(linkFailure('not_started', 'runner_unavailable'));
    });
  }

  listen(listener: RunnerListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  attach(socket: LinkSocket, claim: RunnerClaim): RunnerConnection {
    const connection = new RunnerConnection({
      socket,
      claim,
      owner: this,
      clock: this.#clock,
      log: this.#logOf(claim.tokenId),
      counters: this.counters,
    });
    this.#unregistered.add(connection);
    return connection;
  }

  admit(connection: RunnerConnection, frame: RegisterFrame): GatewayErrorCode | null {
    if (connection.boundRunner !== frame.runner_id) return 'register_forbidden';
    const holder = this.#registered.get(frame.runner_id);
    if (holder !== undefined) {
      const held = holder.registration;
      const isSameRunner =
        held?.instance_id === frame.instance_id && held.connection_epoch < frame.connection_epoch;
      // The same process has dialled again: its older socket is dead, whatever the network has told us so far.
      if (isSameRunner) holder.end('runner_replaced');
      else if (holder.isSilent) holder.drop();
      else return 'runner_id_taken';
    }
    if (this.#registered.size >= hubLimits.runners) return 'runner_limit_reached';
    this.#unregistered.delete(connection);
    this.#registered.set(frame.runner_id, connection);
    this.#show();
    return null;
  }

  changed(connection: RunnerConnection): void {
    if (this.#registered.get(connection.boundRunner) === connection) this.#show();
  }

  registered({ registration }: RunnerConnection): void {
    if (registration === null) return;
    const runner = visibleRunner(registration);
    for (const listener of this.#listeners) listener.registered(runner);
  }

  callEnded({ registration }: RunnerConnection, call: string): void {
    if (registration === null) return;
    const runner = visibleRunner(registration);
    for (const listener of this.#listeners) listener.ended(runner, call);
  }

  release(connection: RunnerConnection): void {
    this.#unregistered.delete(connection);
    const runner = connection.boundRunner;
    if (this.#registered.get(runner) !== connection) return;
    this.#registered.delete(runner);
    this.#show();
  }

  close(): void {
    this.#stopListening();
    for (const connection of this.#all()) connection.stop();
  }

  #logOf(tokenId: string): Log {
    const known = this.#logs.get(tokenId);
    if (known !== undefined) return known;
    const log = createRefusalLog(this.#log, this.#clock);
    this.#logs.set(tokenId, log);
    return log;
  }

  #all(): RunnerConnection[] {
    return [...this.#unregistered, ...this.#registered.values()];
  }

  #show(): void {
    const registrations = [...this.#registered.values()].map((connection) => connection.registration);
    this.#visible = Object.freeze(registrations.filter((frame) => frame !== null).map(visibleRunner));
  }
}
