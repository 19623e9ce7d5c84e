import {
  encodeJson,
  FairleadError,
  type JsonObject,
  type Random,
  randomId,
  type Timer,
} from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { Statement } from '@fairlead/store';
import type { ApprovalDecisionBody, EntryBody } from '../entries/entry.ts';
import { entryValue, HOST } from '../entries/write-entry.ts';
import { hostError } from '../errors.ts';
import { approvalLimits, displayLimits } from '../limits.ts';
import type { Risk } from '../policy/tool-policy.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import { nowMs } from '../sessions/sessions.ts';
import { unwritable } from '../sessions/unwritable.ts';
import {
  type ApprovalRow,
  type ApprovalState,
  type ApprovalSubject,
  DECIDE,
  findApproval,
  INSERT_APPROVAL,
  openApprovals,
  tellDenial,
  useApproval,
  waitingApprovals,
} from './approval-rows.ts';

/** A call for which a person is asked. */
export interface ApprovalRequest extends ApprovalSubject {
  readonly turn?: string;
  readonly call: string;
  readonly tool: string;
  readonly extension: string;
  readonly risk: Risk;
  /** Masked; at most 64 KiB as JSON, because nobody may be shown half of them. */
  readonly arguments: JsonObject;
  /** What else the person sees: workspace, grants, tier. */
  readonly shown: JsonObject;
}

/** An approval that a call holds. Let it go when the call waits no more. */
export interface HeldApproval {
  readonly id: string;
  /** Milliseconds since 1970 at which it expires, unless it is decided. */
  readonly until: number;
  /** Resolves once it is not open any more. */
  readonly decided: Promise<Exclude<ApprovalState, 'open'>>;
  release(): void;
}

export interface Decision {
  readonly decision: 'approve' | 'deny' | 'approve_turn';
  /** Whose token it was, with its scopes. */
  readonly by: { readonly id: string; readonly scopes: readonly string[] };
  /** The face that it came through. */
  readonly via: string;
}

/** An approval as it is listed. `until`: milliseconds since 1970 at which it expires, if it is open. */
export type ShownApproval = ApprovalRow & { readonly until: number };

type Held = { readonly settle: (state: Exclude<ApprovalState, 'open'>) => void };

/**
 * What people are asked and what they answered, in rows of this peer. Every change is one conditional update, so the first answer stands;
 * with a session its entries are written in the same transaction. Close it before the peer.
 */
export class Approvals {
  readonly #floor: SessionFloor;
  readonly #random: Random;
  readonly #held = new Map<string, Held>();
  readonly #timers = new Map<string, Timer>();
  /** By turn and target: the approval that said so for the rest of the turn. */
  readonly #rules = new Map<string, string>();

  constructor(floor: SessionFloor, random: Random) {
    this.#floor = floor;
    this.#random = random;
  }

  /**
   * Asks, or takes the oldest row of the same call that nobody holds: one that was decided while its caller was away is decided at once.
   * Rejects with `arguments_too_large`, or a code of the store: then nothing may run.
   */
  async ask(request: ApprovalRequest): Promise<HeldApproval> {
    if (Buffer.byteLength(encodeJson(request.arguments)) > displayLimits.argumentBytes)
      throw hostError('arguments_too_large');
    const rows = await waitingApprovals(this.#floor.store, request);
    for (const row of rows) {
      if (this.#held.has(row.id)) continue;
      const from = row.decided_at ?? row.opened_at;
      if (row.state !== 'denied' && from + approvalLimits.openMs <= nowMs(this.#floor.clock)) {
        await this.#end(row, 'expired', 'host', 'timeout');
        continue;
      }
      const held = this.#hold(row.id, row.opened_at);
      // Only now: what was decided before it was held would have been told to nobody.
      const now = await findApproval(this.#floor.store, row.id);
      if (now !== undefined && now.state !== 'open') this.#held.get(row.id)?.settle(now.state);
      return held;
    }
    return await this.#open(request);
  }

  /**
   * Decides, for who has `session:approve`. False where it was decided, expired or cancelled before. Rejects with `approval_scope_missing`,
   * `approval_unknown`, or a code of the store.
   */
  async decide(id: string, { decision, by, via }: Decision): Promise<boolean> {
    if (!by.scopes.includes('session:approve')) throw hostError('approval_scope_missing');
    const row = await findApproval(this.#floor.store, id);
    if (row === undefined) throw hostError('approval_unknown');
    if (row.state !== 'open') return false;
    const stands = await this.#end(row, decision === 'deny' ? 'denied' : 'approved', by.id, via);
    if (stands && decision === 'approve_turn' && row.turn !== null)
      this.#rules.set(ruleOf(row.turn, row.target), id);
    return stands;
  }

  /** Ends what nobody is to answer any more, such as that of a turn that was cancelled. False where it was not open. */
  async cancel(id: string): Promise<boolean> {
    const row = await findApproval(this.#floor.store, id);
    return (
      row !== undefined && row.state === 'open' && (await this.#end(row, 'cancelled', 'host', 'cancelled'))
    );
  }

  /** For the transaction of the intent, with exactly one changed row expected: an approval is used once, within 300 s of its decision. */
  use(id: string, call: string): Statement {
    return useApproval(id, call, nowMs(this.#floor.clock) - approvalLimits.openMs);
  }

  /** Notes that a denial was told: the same call asks anew afterwards. */
  async told(id: string, call: string): Promise<void> {
    await this.#floor.store.write([tellDenial(id, call)]);
  }

  /** Those that wait for a person, oldest first. */
  async open(): Promise<readonly ShownApproval[]> {
    return (await openApprovals(this.#floor.store, approvalLimits.listed)).map(withUntil);
  }

  async find(id: string): Promise<ShownApproval | undefined> {
    const row = await findApproval(this.#floor.store, id);
    return row === undefined ? undefined : withUntil(row);
  }

  /** Forgets what was said for the rest of a turn. */
  endTurn(turn: string): void {
    for (const key of this.#rules.keys()) if (key.startsWith(`${turn} `)) this.#rules.delete(key);
  }

  /** Stops its timers; what is open is cancelled at the next start. */
  close(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  async #open(request: ApprovalRequest): Promise<HeldApproval> {
    const { clock, boot } = this.#floor;
    const { principal, session, target, digest, turn, call, tool, extension, risk, shown } = request;
    const id = randomId('apr_', this.#random);
    const at = nowMs(clock);
    const until = at + approvalLimits.openMs;
    const rule = turn === undefined ? undefined : this.#rules.get(ruleOf(turn, target));
    const asked = { approval: id, call, tool, extension, risk, arguments: request.arguments, digest, until };
    const entries: EntryBody[] = [{ type: 'approval_request', ...asked }];
    if (rule !== undefined)
      entries.push({
        type: 'approval_decision',
        approval: id,
        decision: 'approved',
        rule,
        by: 'rule',
        via: 'approve_turn',
      });
    const decided = rule === undefined ? [null, null] : [at, 'rule'];
    const text = encodeJson({ ...shown, arguments: request.arguments, extension });
    const state = rule === undefined ? 'open' : 'approved';
    const row = [
      id,
      principal,
      target,
      digest,
      session,
      turn ?? null,
      call,
      tool,
      risk,
      text,
      state,
      rule ?? null,
      at,
    ];
    await this.#write(session, entries, {
      sql: INSERT_APPROVAL,
      parameters: [...row, ...decided, null, boot],
    });
    const held = this.#hold(id, at);
    if (rule !== undefined) this.#held.get(id)?.settle('approved');
    return held;
  }

  #hold(id: string, openedAt: number): HeldApproval {
    const { promise, resolve } = Promise.withResolvers<Exclude<ApprovalState, 'open'>>();
    this.#held.set(id, { settle: resolve });
    const until = openedAt + approvalLimits.openMs;
    const { clock } = this.#floor;
    if (!this.#timers.has(id)) {
      const expire = () => void this.#expire(id);
      this.#timers.set(id, clock.setTimer(Math.max(0, until - nowMs(clock)), expire, { unref: true }));
    }
    return { id, until, decided: promise, release: () => void this.#held.delete(id) };
  }

  /** Where the row cannot be written the call ends all the same: nothing runs. */
  async #expire(id: string): Promise<void> {
    this.#timers.delete(id);
    try {
      const row = await findApproval(this.#floor.store, id);
      if (row?.state === 'open') await this.#end(row, 'expired', 'host', 'timeout');
    } catch {
      this.#held.get(id)?.settle('expired');
    }
  }

  async #end(
    row: ApprovalRow,
    state: ApprovalDecisionBody['decision'],
    by: string,
    via: string,
  ): Promise<boolean> {
    const { id, session } = row;
    const body = { type: 'approval_decision', approval: id, decision: state, by, via } as const;
    const parameters = [state, nowMs(this.#floor.clock), by, id, row.state];
    try {
      await this.#write(session, [body], { sql: DECIDE, parameters });
    } catch (error) {
      if (error instanceof FairleadError && error.code === 'transaction_refused') return false;
      throw error;
    }
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    this.#held.get(id)?.settle(state);
    return true;
  }

  /** The row and, where there is a session, its entries. A session that cannot be written to lets nothing be approved. */
  async #write(
    session: string | null,
    entries: readonly EntryBody[],
    row: Required<Statement>,
  ): Promise<void> {
    const { peer, sessions, clock } = this.#floor;
    const database = session === null ? undefined : await sessions.open(session).catch(unwritable);
    await peer.transaction((tx) => {
      if (database !== undefined)
        for (const entry of entries) tx.on(database).append(ENTRIES_TABLE, entryValue(entry, HOST, clock));
      tx.write(row.sql, row.parameters, 1);
    });
  }
}

function ruleOf(turn: string, target: string): string {
  return `${turn} ${target}`;
}

function withUntil(row: ApprovalRow): ShownApproval {
  return { ...row, until: row.opened_at + approvalLimits.openMs };
}
