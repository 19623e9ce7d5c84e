import type { OwnedMessage, OwnedText } from '@fairlead/extension/runtime';
import { fireBeforeAgentStart, promptBlocks, tailBlocks } from '@fairlead/hub';
import type { AddedText } from '../context/beyond-share.ts';
import { roomNote, systemText } from '../context/system-text.ts';
import { TurnContext } from '../context/turn-context.ts';
import type { SessionEvent } from '../events/session-event.ts';
import type { Message } from '../models/model.ts';
import { runStep, type StepOutcome } from '../models/step/run-step.ts';
import { pendingWakes } from '../sessions/wakes.ts';
import type { PreparedTurn } from './prepare-turn.ts';
import { StepShower } from './step-shower.ts';
import type { TurnFloor } from './turn-floor.ts';
import type { TurnOptions } from './turn-options.ts';
import type { TurnUsage } from './turn-usage.ts';

/** What extensions say to the model in one turn. */
interface Said {
  readonly added: readonly OwnedMessage[];
  readonly blocks: readonly OwnedText[];
  readonly tails: readonly OwnedText[];
}

/** The model of one turn, with everything that it reads. */
export class TurnModel {
  readonly #floor: TurnFloor;
  readonly #turn: PreparedTurn;
  readonly #options: TurnOptions;
  readonly #usage: TurnUsage;
  readonly #context: TurnContext;
  readonly #said: Said;
  /** Of whom it was told that something was left out. */
  readonly #told = new Set<string>();

  private constructor(
    floor: TurnFloor,
    turn: PreparedTurn,
    options: TurnOptions,
    usage: TurnUsage,
    context: TurnContext,
    said: Said,
  ) {
    this.#floor = floor;
    this.#turn = turn;
    this.#options = options;
    this.#usage = usage;
    this.#context = context;
    this.#said = said;
  }

  /** To be opened when the `ack` stands: what waits for another turn is none of this one's. */
  static async open(
    floor: TurnFloor,
    turn: PreparedTurn,
    options: TurnOptions,
    usage: TurnUsage,
  ): Promise<TurnModel> {
    const { database, agent, host, set, signal } = turn;
    await host.load();
    const waiting = await pendingWakes(floor.store, turn.session);
    const context = new TurnContext({
      ...{ database, peerId: floor.peer.peerId, agent, turn: turn.turn },
      asked: options.wakes.map(({ entry }) => entry),
      waiting: new Set(waiting.map(({ entry }) => entry)),
      resumes: options.resumes !== undefined,
    });
    const added = await fireBeforeAgentStart(set, { signal });
    const blocks = await promptBlocks(set, { signal });
    const tails =
      set.tails.length === 0 ? [] : await tailBlocks(set, { recent: await context.recent() }, { signal });
    return new TurnModel(floor, turn, options, usage, context, { added, blocks, tails });
  }

  /** Asks for the next step. `withTools` false: none is offered. Rejects only with a code of the store. */
  async ask(step: number, steps: readonly Message[], withTools: boolean): Promise<StepOutcome> {
    const { host } = this.#turn;
    const offers = withTools && host.tools;
    const outcome = await this.#attempts(step, steps, offers, host.maxRetries);
    if (step > 0 || !offers || !mayBeTheTools(outcome) || this.#turn.signal.aborted) return outcome;
    // Some back ends break on tools alone: an answer without them is better than none.
    return await this.#attempts(step, steps, false, 0);
  }

  async #attempts(
    step: number,
    steps: readonly Message[],
    offers: boolean,
    maxRetries: number,
  ): Promise<StepOutcome> {
    const { turn, session, agent, config, host, meta, offered, budget, signal, earlier } = this.#turn;
    const { worker } = this.#options;
    const { clock, random, ledger, gate, events } = this.#floor;
    const { added, blocks, tails } = this.#said;
    const { maxContextTokens } = config;
    const request = await this.#context.assemble({
      model: host,
      ...(maxContextTokens === undefined ? {} : { maxContextTokens }),
      system: [systemText(config, worker), roomNote(meta, agent)],
      ...{ blocks, added, tails, steps, tools: offers ? offered.tools : [] },
    });
    this.#tell(request.beyond);
    const emit = (event: SessionEvent) => events.emit(session, event);
    const state = (now: 'queued' | 'model') => emit({ kind: 'state', turn, agent: agent.id, state: now });
    if (gate.isFull) state('queued');
    const shower = new StepShower(turn, step, emit);
    const subject = { turn, root: budget.root, session: budget.rootSession, agent: agent.id };
    return await runStep({
      model: host.model,
      request: { messages: request.messages, tools: request.tools, maxTokens: request.maxTokens },
      meta: {
        session,
        agent: agent.name,
        ...(worker === undefined ? {} : { worker: worker.name }),
        turn: earlier,
        step,
      },
      ...{ maxRetries, signal, clock, random, gate, estimatedInput: request.estimatedInput },
      ledger: this.#usage.counted(ledger.attempts(subject, host), () => state('model')),
      emit: (event) => shower.show(event),
    });
  }

  /** Once in a turn of each extension and kind. */
  #tell(beyond: readonly AddedText[]): void {
    const { session, turn } = this.#turn;
    for (const text of beyond) {
      const what = `${text.owner} ${text.kind}`;
      if (this.#told.has(what)) continue;
      this.#told.add(what);
      this.#floor.leftOut({ text, session, turn });
    }
  }
}

/** A back end that was reached and then failed, without asking for time. */
function mayBeTheTools(outcome: StepOutcome): boolean {
  if (outcome.ok || 'ceiling' in outcome) return false;
  const { code, retryable, afterMs } = outcome.fault;
  return (
    retryable && afterMs === undefined && (code === 'model_unavailable' || code === 'model_stream_broken')
  );
}
