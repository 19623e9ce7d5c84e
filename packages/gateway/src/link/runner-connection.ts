import type { Clock, Timer } from '@fairlead/base';
import type { RunnerRequestOptions, VisibleRunner } from '@fairlead/dispatch';
import {
  encodeLinkFrame,
  type InventoryFrame,
  type LinkFrame,
  linkLimits,
  parseLinkFrame,
  protocolErrors,
  type RegisterFrame,
  type RunnerRequest,
} from '@fairlead/protocol';
import type { RunnerClaim } from '../auth/tokens.ts';
import { type GatewayErrorCode, gatewayErrors } from '../errors.ts';
import { hubLimits } from '../limits.ts';
import type { Log } from '../log/log.ts';
import type { LinkCounters } from './link-counters.ts';
import type { LinkSocket } from './link-socket.ts';
import { linkFailure, type PendingRequest } from './pending-request.ts';
import { RequestLane } from './request-lane.ts';

/** What a connection asks of the hub that holds it. */
export type ConnectionOwner = {
  /** May this connection speak for the Runner it names? Null: yes, and it is now the one. */
  admit(connection: RunnerConnection, frame: RegisterFrame): GatewayErrorCode | null;
  /** What the Runner registered has changed. */
  changed(connection: RunnerConnection): void;
  /** It is registered and takes requests. Called once. */
  registered(connection: RunnerConnection): void;
  /** The Runner says that a call has ended which it had answered `running`. */
  callEnded(connection: RunnerConnection, call: string): void;
  /** It has ended, for good. Called once. */
  release(connection: RunnerConnection): void;
};

export type RunnerConnectionOptions = {
  readonly socket: LinkSocket;
  readonly claim: RunnerClaim;
  readonly owner: ConnectionOwner;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: LinkCounters;
};

/** Status codes of RFC 6455. */
const CLOSE = { normal: 1000, goingAway: 1001, protocol: 1002, policy: 1008 } as const;

/** One socket of one Runner, from its upgrade to its end: who speaks, whether it is alive, and how it ends. */
export class RunnerConnection {
  readonly #options: RunnerConnectionOptions;
  readonly #lane: RequestLane;
  #state: 'unregistered' | 'registered' | 'ended' = 'unregistered';
  #registration: RegisterFrame | null = null;
  #heardMs: number;
  #nextPingMs = 0;
  #timer: Timer;
  #strays = 0;

  constructor(options: RunnerConnectionOptions) {
    this.#options = options;
    this.#lane = new RequestLane(options.socket, options.clock);
    this.#heardMs = options.clock.monotonicMs();
    this.#timer = options.clock.setTimer(linkLimits.registerWithinMs, () => this.end('expected_register'));
  }

  get tokenId(): string {
    return this.#options.claim.tokenId;
  }

  /** The one runner id that its token opens. */
  get boundRunner(): string {
    return this.#options.claim.runner;
  }

  /** What it registered, null before. */
  get registration(): RegisterFrame | null {
    return this.#registration;
  }

  /** True when nothing was heard for as long as a silent Runner may hold its id. */
  get isSilent(): boolean {
    return this.#options.clock.monotonicMs() - this.#heardMs >= linkLimits.silentHoldMs;
  }

  /** Sends a request; `settle` is called once with what became of it. */
  request(request: RunnerRequest, options: RunnerRequestOptions, settle: PendingRequest['settle']): void {
    if (this.#state === 'registered' && this.#options.claim.isLive()) {
      this.#lane.submit(request, options, settle);
      return;
    }
    if (this.#state === 'registered') this.end('runner_token_ended');
    settle(linkFailure('not_started', 'runner_unavailable'));
  }

  /** Takes one frame as it came. */
  receive(bytes: Uint8Array, isBinary: boolean): void {
    if (this.#state === 'ended') return;
    this.#heardMs = this.#options.clock.monotonicMs();
    if (isBinary) {
      this.#refuse('link_frame_invalid', protocolErrors.link_frame_invalid.message);
      return;
    }
    const parsed = parseLinkFrame(bytes, 'runner');
    if (parsed.ok) this.#take(parsed.frame);
    else if (parsed.code !== 'invalid_plugin_response')
      this.#refuse(parsed.code, protocolErrors[parsed.code].message);
    else if (!this.#lane.answerUnreadable(parsed.id)) this.#stray();
  }

  /** The socket is gone: whatever waits for it has its outcome, and the runner id is free. */
  closed(): void {
    if (this.#state === 'ended') return;
    const wasRegistered = this.#state === 'registered';
    this.#state = 'ended';
    this.#timer.cancel();
    this.#options.owner.release(this);
    if (wasRegistered) this.#log('info', 'runner.gone');
    this.#lane.abandon();
  }

  /** Ends the connection and says why. */
  end(code: GatewayErrorCode): void {
    this.#refuse(code, gatewayErrors[code].message);
  }

  /** Ends the connection because the gateway stops. */
  stop(): void {
    if (this.#state === 'ended') return;
    this.#send({ type: 'goodbye' });
    this.#options.socket.close(CLOSE.goingAway, 'the gateway stops');
    this.closed();
  }

  /** Ends a connection that has been silent for too long: nobody is there to read a reason. */
  drop(): void {
    this.#log('warn', 'runner.silent');
    this.#options.socket.terminate();
    this.closed();
  }

  #take(frame: LinkFrame): void {
    if (this.#state === 'unregistered') {
      if (frame.type === 'register') this.#register(frame);
      else this.end('expected_register');
      return;
    }
    switch (frame.type) {
      case 'result':
        if (!this.#lane.answer(frame)) this.#stray();
        return;
      case 'ping':
        // A Runner that pings and does not read gets no heap of answers.
        if (this.#options.socket.bufferedBytes < hubLimits.outgoingBytes)
          this.#send({ type: 'pong', ts: frame.ts });
        return;
      case 'pong':
        return;
      case 'inventory':
        this.#takeInventory(frame);
        return;
      case 'ended':
        this.#options.owner.callEnded(this, frame.call);
        return;
      case 'goodbye':
        this.#options.socket.close(CLOSE.normal, 'goodbye');
        this.closed();
        return;
      case 'error':
        this.#log('warn', 'runner.error', { code: frame.code });
        this.#stray();
        return;
      case 'register':
      case 'registered':
      case 'request':
        this.end('runner_frame_unexpected');
        return;
    }
  }

  #register(frame: RegisterFrame): void {
    const { owner, clock, claim } = this.#options;
    this.#registration = frame;
    const refusal = claim.isLive() ? owner.admit(this, frame) : 'runner_token_ended';
    if (refusal !== null) {
      this.end(refusal);
      return;
    }
    this.#state = 'registered';
    this.#timer.cancel();
    this.#nextPingMs = clock.monotonicMs() + linkLimits.pingIntervalMs;
    this.#armBeat();
    this.#send({ type: 'registered' });
    this.#log('info', 'runner.registered');
    owner.registered(this);
  }

  #takeInventory({ name, projects }: InventoryFrame): void {
    if (this.#registration === null) return;
    const { name: _before, ...same } = this.#registration;
    this.#registration = { ...same, ...(name === undefined ? {} : { name }), projects };
    this.#options.owner.changed(this);
  }

  /** One timer for both: the next ping, and the end of the patience with a silent Runner. */
  #armBeat(): void {
    const { clock } = this.#options;
    const nextMs = Math.min(this.#nextPingMs, this.#heardMs + linkLimits.silentHoldMs);
    const delayMs = Math.max(0, nextMs - clock.monotonicMs());
    this.#timer = clock.setTimer(delayMs, () => this.#beat(), { unref: true });
  }

  #beat(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.isSilent) {
      this.drop();
      return;
    }
    if (!this.#options.claim.isLive()) {
      this.end('runner_token_ended');
      return;
    }
    if (nowMs >= this.#nextPingMs) {
      this.#nextPingMs = nowMs + linkLimits.pingIntervalMs;
      this.#send({ type: 'ping', ts: this.#options.clock.wallMs() });
    }
    this.#armBeat();
  }

  /** A frame that answers nothing: late, repeated or never asked for. It is dropped; a flood of them ends the link. */
  #stray(): void {
    this.#options.counters.strayFrames += 1;
    this.#strays += 1;
    if (this.#strays > hubLimits.strayFrames) this.end('runner_frame_unexpected');
  }

  #refuse(code: string, message: string): void {
    if (this.#state === 'ended') return;
    this.#log('warn', 'runner.refused', { code });
    this.#send({ type: 'error', code, message });
    this.#options.socket.close(code.startsWith('link_') ? CLOSE.protocol : CLOSE.policy, code);
    this.closed();
  }

  #send(frame: LinkFrame): void {
    if (this.#options.socket.isOpen) this.#options.socket.send(encodeLinkFrame(frame), this.#written);
  }

  readonly #written = (): void => this.#lane.pump();

  #log(level: 'info' | 'warn', event: string, fields: { readonly code?: string } = {}): void {
    this.#options.log(level, event, { runner: this.boundRunner, token_id: this.tokenId, ...fields });
  }
}

/** A registered Runner as callers see it. */
export function visibleRunner(registration: RegisterFrame): VisibleRunner {
  const { runner_id: runner, name, instance_id: instanceId, capabilities } = registration;
  const projects = eachOnce(registration.projects);
  return name === undefined
    ? { runner, instanceId, capabilities, projects }
    : { runner, name, instanceId, capabilities, projects };
}

function eachOnce(projects: RegisterFrame['projects']): RegisterFrame['projects'] {
  const ids = new Set<string>();
  return projects.filter(({ id }) => !ids.has(id) && ids.add(id));
}
