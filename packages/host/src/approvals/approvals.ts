import { encodeJson, FairleadError, type Random, randomId, type Timer } from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { Statement } from '@fairlead/store';
import type { ApprovalDecisionBody, EntryBody } from '../entries/entry.ts';
import { entryValue, HOST } from '../entries/write-entry.ts';
import { hostError } from '../errors.ts';
import { approvalLimits, displayLimits, owedLimits } from '../limits.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import { nowMs } from '../sessions/sessions.ts';
import { unwritable } from '../sessions/unwritable.ts';
import {
  type ApprovalRequest,
  type ApprovalsOptions,
  type Decision,
  type GivenDecision,
  type HeldApproval,
  insertApproval,
  requestEntries,
  type ShownApproval,
} from './approval-request.ts';
import {
  type ApprovalRow,
  type ApprovalState,
  countOpen,
  DECIDE,
  findApproval,
  type OpenWanted,
  openApprovals,
  pruneApprovals,
  sessionsOfOpen,
  tellDenial,
  useApproval,
  waitingApprovals,
} from './approval-rows.ts';

type Held = { readonly settle: (state: Exclude<ApprovalState, 'open'>) => void };

/**
 * What people are asked and what they answered, in rows of this peer. Every change is one conditional update, so the first answer stands;
 * with a session its entries are written in the same transaction. Close it before the peer.
 */
export class Approvals {
  readonly #floor: SessionFloor;
  readonly #random: Random;
  readonly #options: ApprovalsOptions;
  readonly #held = new Map<string, Held>();
  readonly #timers = new Map<string, Timer>();
  /** By turn: what was asked in it. */
  readonly #asked = new Map<string, string[]>();
  /** By turn and target: the approval that said so for the rest of the turn. */
  readonly #rules = new Map<string, string>();
  #isClosed = false;

  constructor(floor: SessionFloor, random: Random, options: ApprovalsOptions) {
    this.#floor = floor;
    this.#random = random;
    this.#options = options;
  }

  /**
   * Asks, or takes the oldest row of the same call that nobody holds: one that was decided while its caller was away is decided at once.
   * Rejects with `arguments_too_large`, `approval_limit_reached`, or a code of the store: then nothing may run.
   */
  async ask(request: ApprovalRequest): Promise<HeldApproval> {
    if (Buffer.byteLength(encodeJson(request.arguments)) > displayLimits.argumentBytes)
      throw hostError('arguments_too_large');
    if (request.given !== undefined) return await this.#open(request, request.given);
    const rows = await waitingApprovals(this.#floor.store, request);
    for (const row of rows) {
      if (this.#held.has(row.id)) continue;
      if (row.state !== 'denied' && this.#isOver(row.decided_at ?? row.opened_at)) {
        await this.#end(row, 'expired', 'host', 'timeout');
        continue;
      }
      const held = this.#hold(row.id, row.opened_at, row.state === 'open');
      // Only now: what was decided before it was held would have been told to nobody.
      const now = await findApproval(this.#floor.store, row.id);
      if (now === undefined || now.used_by !== null) {
        held.release();
        continue;
      }
      if (now.state !== 'open') {
        this.#disarm(row.id);
        this.#held.get(row.id)?.settle(now.state);
      }
      return held;
    }
    return await this.#open(request);
  }

  /**
   * Decides, for who has `session:approve`. False where it was decided, expired or cancelled before. Rejects with `approval_scope_missing`,
   * `approval_unknown`, `approval_rule_denied`, or a code of the store.
   */
  async decide(id: string, { decision, by, via }: Decision): Promise<boolean> {
    if (!by.scopes.includes('session:approve')) throw hostError('approval_scope_missing');
    const row = await findApproval(this.#floor.store, id);
    if (row === undefined) throw hostError('approval_unknown');
    if (!this.#decisions(row).includes(decision)) throw hostError('approval_rule_denied');
    if (row.state !== 'open') return false;
    // No timer counts while the machine sleeps, and its end may have found the disk full.
    if (this.#isOver(row.opened_at)) {
      await this.#end(row, 'expired', 'host', 'timeout');
      return false;
    }
    const stands = await this.#end(row, decision === 'deny' ? 'denied' : 'approved', by.id, via);
    if (stands && decision === 'approve_turn' && row.turn !== null)
      this.#rules.set(ruleOf(row.turn, row.target), id);
    return stands;
  }

  /** Ends what nobody is to answer or to use any more, such as that of a turn that was cancelled. False where it was neither open nor approved. */
  async cancel(id: string): Promise<boolean> {
    for (;;) {
      const row = await findApproval(this.#floor.store, id);
      if (row?.state !== 'open' && row?.state !== 'approved') return false;
      // Somebody may decide at this moment: then it is the decision that is taken back.
      if (await this.#end(row, 'cancelled', 'host', 'cancelled')) return true;
    }
  }

  /** For the transaction of the intent, with exactly one changed row expected: an approval is used once, within 300 s of its decision. */
  use(id: string, call: string): Statement {
    return useApproval(id, call, nowMs(this.#floor.clock) - approvalLimits.openMs);
  }

  /** Notes that a denial was told: the same call asks anew afterwards. */
  async told(id: string, call: string): Promise<void> {
    await this.#floor.store.write([tellDenial(id, call)]);
  }

  /** Some of those that wait for a person, oldest first: the next ones are `after` the last. Rejects with `approval_unknown` where there is none of that id. */
  async open(wanted: OpenWanted = {}): Promise<readonly ShownApproval[]> {
    const rows = await openApprovals(this.#floor.store, wanted);
    if (rows === undefined) throw hostError('approval_unknown');
    return rows.map((row) => this.#shown(row));
  }

  /** How many wait for a person, in these sessions or at all. */
  async openCount(sessions?: readonly string[]): Promise<number> {
    return await countOpen(this.#floor.store, sessions);
  }

  /** The sessions in which one waits. */
  async openSessions(): Promise<readonly string[]> {
    return await sessionsOfOpen(this.#floor.store);
  }

  async find(id: string): Promise<ShownApproval | undefined> {
    const row = await findApproval(this.#floor.store, id);
    return row === undefined ? undefined : this.#shown(row);
  }

  /** Ends what was asked in a turn and is not used, and forgets what was said for the rest of it. Rejects with a code of the store. */
  async endTurn(turn: string): Promise<void> {
    const asked = this.#asked.get(turn) ?? [];
    this.#asked.delete(turn);
    try {
      for (const id of asked) await this.cancel(id);
    } finally {
      this.#forgetRules(turn);
    }
  }

  #forgetRules(turn: string): void {
    for (const key of this.#rules.keys()) if (key.startsWith(`${turn} `)) this.#rules.delete(key);
  }

  /** Stops its timers; what is open is cancelled at the next start. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  async #open(request: ApprovalRequest, given = this.#ruleFor(request)): Promise<HeldApproval> {
    const { clock, boot } = this.#floor;
    const id = randomId('apr_', this.#random);
    const at = nowMs(clock);
    const entries = requestEntries(request, { id, until: at + approvalLimits.openMs, given });
    const row = insertApproval(request, { id, at, boot, given });
    try {
      await this.#write(request.session, entries, row, [pruneApprovals(at - approvalLimits.keptMs)]);
    } catch (error) {
      if (given === undefined && isRefused(error)) throw hostError('approval_limit_reached');
      throw error;
    }
    if (request.turn !== undefined) this.#note(request.turn, id);
    const held = this.#hold(id, at, given === undefined);
    this.#tell(request.session, id, 'open');
    if (given !== undefined) {
      this.#held.get(id)?.settle('approved');
      this.#tell(request.session, id, 'approved');
    }
    return held;
  }

  #ruleFor({ turn, target }: ApprovalRequest): GivenDecision | undefined {
    const rule = turn === undefined ? undefined : this.#rules.get(ruleOf(turn, target));
    return rule === undefined ? undefined : { rule, by: 'rule', via: 'approve_turn' };
  }

  #note(turn: string, id: string): void {
    const asked = this.#asked.get(turn);
    if (asked === undefined) this.#asked.set(turn, [id]);
    else asked.push(id);
  }

  /** What is decided expires by the time of its decision, when somebody wants to use it: no timer waits for it. */
  #hold(id: string, openedAt: number, isOpen: boolean): HeldApproval {
    const { promise, resolve } = Promise.withResolvers<Exclude<ApprovalState, 'open'>>();
    this.#held.set(id, { settle: resolve });
    const until = openedAt + approvalLimits.openMs;
    if (isOpen) this.#expireIn(id, Math.max(0, until - nowMs(this.#floor.clock)));
    return { id, until, decided: promise, release: () => void this.#held.delete(id) };
  }

  #isOver(sinceMs: number): boolean {
    return sinceMs + approvalLimits.openMs <= nowMs(this.#floor.clock);
  }

  #expireIn(id: string, delayMs: number): void {
    if (this.#isClosed || this.#timers.has(id)) return;
    const expire = () => void this.#expire(id);
    this.#timers.set(id, this.#floor.clock.setTimer(delayMs, expire, { unref: true }));
  }

  /** Where the row cannot be written the call ends all the same, since nothing runs; the row ends once it can be. */
  async #expire(id: string): Promise<void> {
    this.#timers.delete(id);
    try {
      const row = await findApproval(this.#floor.store, id);
      if (row?.state === 'open') await this.#end(row, 'expired', 'host', 'timeout');
    } catch {
      this.#held.get(id)?.settle('expired');
      this.#expireIn(id, owedLimits.againMs);
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
    // Whoever approved has said so in the session; that nothing came of it shows in the end of the turn.
    const entries = row.state === 'approved' && state === 'cancelled' ? [] : [body];
    const parameters = [state, nowMs(this.#floor.clock), by, id, row.state];
    try {
      await this.#write(session, entries, { sql: DECIDE, parameters });
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
    this.#disarm(id);
    this.#held.get(id)?.settle(state);
    this.#tell(session, id, state);
    return true;
  }

  #disarm(id: string): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
  }

  #tell(session: string | null, id: string, state: ApprovalState): void {
    if (session !== null) this.#options.told?.(session, id, state);
  }

  #shown(row: ApprovalRow): ShownApproval {
    return { ...row, until: row.opened_at + approvalLimits.openMs, decisions: this.#decisions(row) };
  }

  #decisions({ turn }: ApprovalRow): ShownApproval['decisions'] {
    const hasRule = turn !== null && this.#options.authority === 'trusted_agent';
    return hasRule ? ['approve', 'deny', 'approve_turn'] : ['approve', 'deny'];
  }

  /** The row and, where there is a session, its entries. A session that cannot be written to lets nothing be approved. */
  async #write(
    session: string | null,
    entries: readonly EntryBody[],
    row: Required<Statement>,
    also: readonly Statement[] = [],
  ): Promise<void> {
    const { peer, sessions, clock } = this.#floor;
    const database = session === null ? undefined : await sessions.open(session).catch(unwritable);
    await peer.transaction((tx) => {
      if (database !== undefined)
        for (const entry of entries) tx.on(database).append(ENTRIES_TABLE, entryValue(entry, HOST, clock));
      tx.write(row.sql, row.parameters, 1);
      for (const { sql, parameters } of also) tx.write(sql, parameters);
    });
  }
}

/** The row was not as it was thought to be, so nothing was written. */
function isRefused(error: unknown): boolean {
  return error instanceof FairleadError && error.code === 'transaction_refused';
}

function ruleOf(turn: string, target: string): string {
  return `${turn} ${target}`;
}
