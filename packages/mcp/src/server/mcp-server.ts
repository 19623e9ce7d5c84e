import { delay, type Json, type JsonObject } from '@fairlead/base';
import { extensionError, type ParseResult, type ToolContribution } from '@fairlead/extension/runtime';
import { Catalog, type CatalogRow } from '@fairlead/hub';
import { listPages } from '../catalog/list-pages.ts';
import { holdsMasked, type Mask, maskedJson, maskedText, unmasked } from '../catalog/mask.ts';
import { HOLDS_SECRET, readDefinition } from '../catalog/read-definition.ts';
import { extensionOf, type ServerConfig, sourceOf } from '../configuration/server-config.ts';
import { catalogBounds, lifeLimits } from '../limits.ts';
import { parseArguments } from '../schema/parse-arguments.ts';
import { readable } from '../schema/seen-text.ts';
import { mcpFault, outcomeOf } from './call-outcome.ts';
import type { CallResult } from './call-result.ts';
import { connectServer } from './connect-server.ts';
import type { ConnectAnswer, Connection } from './connection.ts';
import { foreignText, thrownText, thrownWhole } from './foreign-text.ts';
import { type OfferedTool, offeredTool, otherTools } from './offered-tool.ts';
import { PrintedLines } from './printed-lines.ts';
import type { ServerFloor } from './server-floor.ts';
import { noticeOf, type ServerNotice, type ServerState } from './server-state.ts';

/** One server and its life: started, listed, started again; what was approved of it; calls to it. */
export class McpServer {
  readonly config: ServerConfig;
  /** Settles when it runs, has failed once, or is late. */
  readonly settled: Promise<void>;
  readonly #printed: PrintedLines;
  readonly #mask: Mask;
  readonly #floor: ServerFloor;
  readonly #settle: () => void;
  readonly #closing = new AbortController();
  #changed: () => void = () => {};
  #catalog: Catalog | undefined;
  #state: ServerState = { kind: 'starting', isLate: false };
  #tools: ReadonlyMap<string, OfferedTool> | undefined;
  #refused: readonly string[] = [];
  /** Of the approved ones, those whose name toward models another has, and those that hold what has become a secret. */
  #met: readonly string[] = [];
  #offers = { resources: false, prompts: false };
  #listing: Promise<void> | undefined;
  #listAgain = false;
  #listedMs = 0;
  #listPauseMs = 0;
  #living: Promise<void> | undefined;

  constructor(config: ServerConfig, floor: ServerFloor) {
    this.config = config;
    this.#floor = floor;
    this.#mask = floor.mask ?? unmasked;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
    this.#printed = new PrintedLines((line) =>
      this.#log('warn', 'mcp.stray_output', { line: foreignText(this.#mask(line)) }),
    );
  }

  /** Reads what was approved before, and begins to start it; waits for nothing else. Rejects with a code of the store. */
  async start(changed: () => void): Promise<void> {
    this.#changed = changed;
    this.#catalog = await Catalog.open({
      ...this.#floor,
      source: sourceOf(this.config),
      domain: 'fairlead mcp tool observation v1',
      newTools: this.config.newTools,
    });
    this.#living = this.#live();
  }

  /** It is not to be started. */
  skip(): void {
    this.#settle();
  }

  get state(): ServerState {
    return this.#state;
  }

  get notice(): ServerNotice | undefined {
    this.#offered();
    return noticeOf(this.#state, this.rows(), [...this.#refused, ...this.#met], extensionOf(this.config));
  }

  rows(): readonly CatalogRow[] {
    return this.#catalog?.rows() ?? [];
  }

  /** The same for people: what was kept before something was a secret does not show it. */
  shownRows(): readonly CatalogRow[] {
    const shown = (observed: CatalogRow['approved']): CatalogRow['approved'] =>
      observed && { ...observed, definition: maskedJson(observed.definition, this.#mask) as JsonObject };
    return this.rows().map((row) => ({
      ...row,
      approved: shown(row.approved),
      offered: shown(row.offered),
    }));
  }

  /** What its program printed last. */
  get output(): string {
    return this.#mask(this.#printed.text());
  }

  /** What may be called now, by the names toward models. Nothing of a server that has failed. */
  tools(): readonly ToolContribution[] {
    return this.#state.kind === 'failed'
      ? []
      : [...this.#offered().values()].map(({ contribution }) => contribution);
  }

  /** What the server says of itself, as it was approved; undefined where that is nothing. */
  instructions(): string | undefined {
    const row = this.#catalog?.row('');
    const said = row?.state === 'approved' ? row.approved?.definition['instructions'] : undefined;
    if (typeof said !== 'string' || said.trim() === '' || this.#state.kind === 'failed') return undefined;
    return readable(maskedText(said, this.#mask), catalogBounds.instructionsLength);
  }

  parse(name: string, args: Json): ParseResult {
    return parseArguments(this.#offered().get(name)?.schema ?? {}, args);
  }

  /**
   * Calls a tool, once. `target` is what the caller was shown of it. Rejects with a fault that has a certainty.
   */
  async call(
    name: string,
    target: string | undefined,
    args: JsonObject,
    told: { readonly signal: AbortSignal; readonly progress: (text: string) => void },
  ): Promise<CallResult> {
    return await this.#call(name, target, args, told, 0);
  }

  /** `lists` is how many it has waited for: the second began after the call did, and is as new as anybody can ask for. */
  async #call(
    name: string,
    target: string | undefined,
    args: JsonObject,
    told: { readonly signal: AbortSignal; readonly progress: (text: string) => void },
    lists: number,
  ): Promise<CallResult> {
    const before = lists < 2 ? this.#listing : undefined;
    const waited = before !== undefined && (await this.#until(before, told.signal)) ? lists + 1 : lists;
    if (told.signal.aborted) throw extensionError('call_cancelled', '', { certainty: 'not_started' });
    const connection = this.#running();
    try {
      await connection.ready();
    } catch (error) {
      throw mcpFault('not_started', 'mcp_token_failed', thrownText(error));
    }
    const isListing = waited < 2 && this.#listing !== undefined;
    if (isListing || this.#connection !== connection || connection.isLost)
      return await this.#call(name, target, args, told, waited);
    if (told.signal.aborted) throw extensionError('call_cancelled', '', { certainty: 'not_started' });
    // Behind everything that is waited for: a token may take longer to come than a whole list.
    const tool = this.#offered().get(name);
    if (tool === undefined || (target !== undefined && tool.contribution.foreign?.target !== target))
      throw mcpFault('not_started', 'mcp_tool_changed', `see fairlead ext diff ${extensionOf(this.config)}`);
    const evidence = await connection.client.call({
      method: tool.method,
      params: tool.method === 'tools/call' ? { name: tool.tool, arguments: args } : args,
      ...(tool.definition === undefined ? {} : { definition: tool.definition }),
      signal: told.signal,
      progress: (text) => told.progress(connection.mask(text)),
    });
    const { isLost, mask } = connection;
    this.#learn(connection, evidence.status, evidence.certainty === 'not_started' && !told.signal.aborted);
    if (told.signal.aborted && evidence.certainty !== 'completed')
      throw extensionError('call_cancelled', '', { certainty: evidence.certainty });
    return outcomeOf(evidence, { tool, maxBytes: this.config.maxOutputBytes, isLost, mask });
  }

  /** Approves exactly what was seen, by tool. Rejects with a code of the store. */
  async approve(seen: ReadonlyMap<string, string | null>, by: string): Promise<readonly string[]> {
    const approved = (await this.#catalog?.approve(seen, by)) ?? [];
    if (approved.length > 0) this.#moved();
    return approved;
  }

  /** Ends it and everything that it started. Twice is once. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#settle();
    await this.#living;
  }

  get #connection(): Connection | undefined {
    return this.#state.kind === 'running' ? this.#state.connection : undefined;
  }

  #running(): Connection {
    const state = this.#state;
    if (state.kind === 'running' && !state.connection.isLost) return state.connection;
    if (state.kind === 'running') throw mcpFault('not_started', 'mcp_starting');
    if (state.kind === 'starting')
      throw mcpFault('not_started', state.isLate ? 'mcp_start_late' : 'mcp_starting');
    throw mcpFault('not_started', 'mcp_unavailable', state.reason);
  }

  #offered(): ReadonlyMap<string, OfferedTool> {
    if (this.#tools !== undefined) return this.#tools;
    const tools = new Map<string, OfferedTool>();
    const met: string[] = [];
    for (const row of this.rows()) {
      const tool = offeredTool(this.config, row);
      if (tool === undefined) continue;
      const isSecret = holdsMasked(row.approved?.definition ?? null, this.#mask);
      const first = tools.get(tool.contribution.name);
      if (isSecret) met.push(`${foreignText(this.#mask(row.tool)).slice(0, 48)}: ${HOLDS_SECRET}`);
      else if (first === undefined) tools.set(tool.contribution.name, tool);
      else
        met.push(
          `${foreignText(row.tool).slice(0, 48)}: models know ${foreignText(first.tool).slice(0, 48)} by its name`,
        );
    }
    this.#met = met;
    for (const tool of otherTools(this.config, this.#offers))
      if (!tools.has(tool.contribution.name)) tools.set(tool.contribution.name, tool);
    this.#tools = tools;
    return tools;
  }

  /** One life after another, with pauses that grow. Never rejects. */
  async #live(): Promise<void> {
    let tries = 0;
    while (!this.#closing.signal.aborted) {
      const { connection, failure } = await this.#begin();
      if (connection !== undefined) {
        const sinceMs = this.#floor.clock.monotonicMs();
        const reason = await this.#untilLost(connection);
        await connection.close();
        if (this.#closing.signal.aborted) return;
        if (this.#floor.clock.monotonicMs() - sinceMs >= lifeLimits.steadyMs) tries = 0;
        this.#log('warn', 'mcp.lost', { reason });
        if (tries < lifeLimits.restartMs.length)
          this.#become({ kind: 'starting', isLate: false, because: reason });
        else this.#become({ kind: 'failed', code: 'mcp_start_failed', reason: `${reason}, again and again` });
      } else if (failure !== undefined) {
        if (this.#closing.signal.aborted) return;
        this.#log('warn', 'mcp.failed', { code: failure.code, reason: failure.reason });
        this.#become({ kind: 'failed', ...failure });
      }
      await delay(
        this.#floor.clock,
        lifeLimits.restartMs[tries] ?? lifeLimits.failedRetryMs,
        this.#closing.signal,
      );
      tries = Math.min(tries + 1, lifeLimits.restartMs.length);
    }
  }

  /** Connects and lists; whatever goes wrong is its failure. */
  async #begin(): Promise<{
    readonly connection?: Connection;
    readonly failure?: Exclude<ConnectAnswer, { ok: true }> & { readonly ok: false };
  }> {
    const answer = await this.#connect();
    if (!answer.ok) return { failure: answer };
    const { connection } = answer;
    this.#listAgain = false;
    try {
      await this.#takeList(connection);
    } catch (error) {
      const reason = this.#closing.signal.aborted
        ? 'it was stopped'
        : foreignText(this.#mask(connection.mask(thrownWhole(error))));
      await connection.close();
      return { failure: { ok: false, code: 'mcp_protocol_failed', reason } };
    }
    if (this.#closing.signal.aborted) await connection.close();
    else {
      this.#become({ kind: 'running', connection });
      this.#log('info', 'mcp.running', { tools: this.#offered().size });
      this.#listNext();
    }
    return { connection };
  }

  async #connect(): Promise<ConnectAnswer> {
    const { clock } = this.#floor;
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    this.#closing.signal.addEventListener('abort', stop, { once: true });
    const isProgram = this.config.kind === 'stdio';
    const late = clock.setTimer(
      this.config.startupTimeoutMs,
      () => {
        if (!isProgram) return stop();
        if (this.#state.kind === 'starting') this.#become({ ...this.#state, isLate: true });
        return undefined;
      },
      { unref: true },
    );
    const tooLate = clock.setTimer(
      Math.max(lifeLimits.startMaxMs, this.config.startupTimeoutMs),
      () => stop(),
      { unref: true },
    );
    try {
      return await connectServer(this.config, this.#floor, {
        signal: attempt.signal,
        events: {
          listChanged: () => this.#listChanged(),
          printed: (from, line) => this.#printed.push(from, line),
        },
      });
    } finally {
      late.cancel();
      tooLate.cancel();
      this.#closing.signal.removeEventListener('abort', stop);
    }
  }

  async #untilLost(connection: Connection): Promise<string> {
    const { signal } = this.#closing;
    const closing = Promise.withResolvers<string>();
    const stop = () => closing.resolve('it was stopped');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const reason = await Promise.race([connection.lost, closing.promise]);
    signal.removeEventListener('abort', stop);
    return reason;
  }

  #listChanged(): void {
    this.#listAgain = true;
    this.#listNext();
  }

  #listNext(): void {
    const connection = this.#connection;
    if (connection === undefined || this.#listing !== undefined || !this.#listAgain) return;
    if (this.#closing.signal.aborted) return;
    this.#listing = this.#relist(connection).finally(() => {
      this.#listing = undefined;
      this.#listNext();
    });
  }

  /**
   * Lists once, after a pause where it has just been listed. A list that cannot be had leaves nobody knowing what the tools are: the connection is
   * made anew.
   */
  async #relist(connection: Connection): Promise<void> {
    const { clock } = this.#floor;
    const sinceMs = clock.monotonicMs() - this.#listedMs;
    if (sinceMs >= this.#listPauseMs * 2) this.#listPauseMs = 0;
    else if (sinceMs < this.#listPauseMs)
      await delay(clock, this.#listPauseMs - sinceMs, this.#closing.signal);
    if (this.#connection !== connection) return;
    this.#listAgain = false;
    try {
      await this.#takeList(connection);
    } catch (error) {
      connection.giveUp(
        `its list of tools could not be had: ${foreignText(this.#mask(connection.mask(thrownWhole(error))))}`,
      );
    }
    this.#listedMs = clock.monotonicMs();
    this.#listPauseMs = Math.min(
      this.#listPauseMs * 2 || catalogBounds.changedPauseMs,
      catalogBounds.changedPauseMaxMs,
    );
  }

  async #takeList({ client, mask: token }: Connection): Promise<void> {
    const host = this.#mask;
    const mask: Mask = token === unmasked ? host : (text) => host(token(text));
    const { entries, cut } = client.offers.tools
      ? await listPages('tools', catalogBounds.tools, (cursor) => client.page('tools/list', cursor))
      : { entries: [], cut: false };
    const instructions = client.instructions;
    const offered = new Map<string, JsonObject>([
      ['', instructions === undefined ? {} : { instructions: maskedText(instructions, mask) }],
    ]);
    const refused: string[] = cut ? [`only ${entries.length} are taken`] : [];
    for (const entry of entries) {
      const read = readDefinition(entry, mask);
      const shown = foreignText(read.name).slice(0, 48);
      if (!read.ok) refused.push(`${shown}: ${read.problem}`);
      else if (offered.has(read.name)) refused.push(`${shown}: it stands twice`);
      else offered.set(read.name, read.definition);
    }
    const moved = await this.#catalog?.observe(offered);
    this.#refused = refused;
    this.#offers = client.offers;
    if (moved === true) this.#tellMoved();
    this.#moved();
  }

  #tellMoved(): void {
    const rows = this.rows().filter(({ state }) => state !== 'approved');
    if (rows.length === 0) return;
    const tools = rows.map(
      ({ tool, state }) => `${tool === '' ? 'instructions' : foreignText(tool)} ${state}`,
    );
    this.#log('warn', 'mcp.catalog_moved', { tools: tools.slice(0, 16).join(', ') });
  }

  /** What an answer says of the connection itself. */
  #learn(connection: Connection, status: number | undefined, isUnreachable: boolean): void {
    if (this.config.kind !== 'http' || this.#connection !== connection) return;
    if (status === 401) connection.tokenRefused();
    // The session is not known there any more, or nobody is there: the next life begins with a handshake. Nothing is sent again.
    if (status === 404 || status === 410) connection.giveUp(`HTTP ${status}: the session is gone`);
    else if (isUnreachable) connection.giveUp('no connection could be made');
  }

  /** Whether it was listed in time. */
  async #until(listed: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener('abort', stop, { once: true });
    const isListed = await Promise.race([
      listed.then(() => true),
      delay(this.#floor.clock, lifeLimits.listedWaitMs, over.signal).then(() => false),
    ]);
    signal.removeEventListener('abort', stop);
    over.abort();
    return isListed;
  }

  #become(state: ServerState): void {
    this.#state = state;
    if (state.kind !== 'starting' || state.isLate) this.#settle();
    this.#moved();
  }

  #moved(): void {
    this.#tools = undefined;
    this.#changed();
  }

  #log(level: 'info' | 'warn', event: string, fields: Readonly<Record<string, string | number>>): void {
    this.#floor.log(level, event, { server: this.config.name, ...fields });
  }
}
