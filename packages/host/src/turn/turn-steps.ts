import { ENTRIES_TABLE } from '@fairlead/hub';
import type { CallEnd } from '../calls/call-end.ts';
import type { CallPlace } from '../calls/call-place.ts';
import type { EntryBody } from '../entries/entry.ts';
import { fitText } from '../entries/fit-result.ts';
import { entryValue } from '../entries/write-entry.ts';
import { hostErrors } from '../errors.ts';
import { turnLimits } from '../limits.ts';
import type { Message } from '../models/model.ts';
import type { Reply } from '../models/step/reply.ts';
import { mentionsIn } from '../sessions/mentions.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';
import { LoopDetector } from './loop-detector.ts';
import type { PreparedTurn } from './prepare-turn.ts';
import { runCalls } from './turn-calls.ts';
import { cancelledEnding, ceilingEnding, failedEnding, type TurnEnding } from './turn-ending.ts';
import type { TurnFloor } from './turn-floor.ts';
import type { TurnModel } from './turn-model.ts';
import { turnPlace } from './turn-place.ts';
import { turnWords } from './turn-words.ts';

/** Why the model is asked to answer without tools. */
type Forced = 'turn_stuck' | 'turn_iterations';

/** The steps of one turn: asks the model, runs what it asks for, asks again. */
export class TurnSteps {
  readonly #floor: TurnFloor;
  readonly #turn: PreparedTurn;
  readonly #place: CallPlace;
  readonly #loops = new LoopDetector();
  /** What the steps so far said and did, as the model reads it. */
  readonly #said: Message[] = [];
  readonly #calls: CallEnd[] = [];
  readonly #now = { step: 0 };
  #begun = 0;
  #withTools = 0;
  #cut = 0;
  #forced: Forced | undefined;

  constructor(floor: TurnFloor, turn: PreparedTurn, speaker: AttachedAgent) {
    this.#floor = floor;
    this.#turn = turn;
    this.#place = turnPlace(floor, turn, speaker, this.#now);
  }

  /** Model calls that were begun, attempts not counted. */
  get begun(): number {
    return this.#begun;
  }

  /** Calls that ended, in the order in which they were asked for. */
  get calls(): readonly CallEnd[] {
    return this.#calls;
  }

  /** To the end of the turn. Rejects where something fails that is no fault of the model or of a tool, such as the store. */
  async run(model: TurnModel): Promise<TurnEnding> {
    const { signal, turn } = this.#turn;
    for (; ; this.#now.step += 1) {
      if (signal.aborted) return cancelledEnding(signal);
      if (this.#forced === undefined && !this.#takeIteration()) this.#force('turn_iterations');
      this.#begun = this.#now.step + 1;
      const outcome = await model.ask(this.#now.step, this.#said, this.#forced === undefined);
      if (outcome.ok) {
        const ending = await this.#take(outcome.reply);
        if (ending !== undefined) return ending;
      } else if ('ceiling' in outcome) return ceilingEnding(turn, outcome.ceiling);
      else if (signal.aborted) return cancelledEnding(signal);
      else return failedEnding(turn, outcome.fault, this.#floor.leaks);
    }
  }

  /** Undefined where the turn goes on. */
  async #take(reply: Reply): Promise<TurnEnding | undefined> {
    const { calls, reason } = reply;
    if (calls.length === 0 || this.#forced !== undefined || !this.#turn.host.tools)
      return await this.#final(reply);
    if (reason === 'length' || reason === 'filter') {
      await this.#passOver(reply, reason === 'length' ? 'reply_cut' : 'reply_filtered');
      return undefined;
    }
    this.#cut = 0;
    await this.#write(this.#interim(reply.text));
    if (this.#loops.repeats(calls)) {
      this.#hear(reply.text);
      this.#force('turn_stuck');
      return undefined;
    }
    const ended = (ends: readonly CallEnd[]) => void this.#calls.push(...ends);
    this.#said.push(...(await runCalls(this.#floor, this.#place, reply, ended)));
    return undefined;
  }

  /** A reply that is not whole runs nothing; the model is told, and so is who reads the session. */
  async #passOver({ text }: Reply, code: 'reply_cut' | 'reply_filtered'): Promise<void> {
    const { turn } = this.#turn;
    const error = {
      type: 'error',
      code,
      text: `${hostErrors[code].message} None of its calls was run.`,
      turn,
    } as const;
    await this.#write([...this.#interim(text), error]);
    this.#hear(text);
    this.#said.push({ role: 'user', text: code === 'reply_cut' ? turnWords.cut : turnWords.filtered });
    this.#cut += 1;
    if (this.#cut >= turnLimits.cutReplies) this.#force('turn_stuck');
  }

  /** The last words: the model's, else the last result that it was given. */
  async #final({ text, reason }: Reply): Promise<TurnEnding> {
    const broken = reason === 'length' ? 'reply_cut' : reason === 'filter' ? 'reply_filtered' : undefined;
    const code = this.#forced ?? broken;
    const said = this.#clean(isBlank(text) ? (this.#calls.at(-1)?.text ?? '') : text);
    if (isBlank(said)) {
      if (broken === undefined) return { status: 'silent', ...codeOf(code), text: '', entries: [] };
      const message = hostErrors[broken].message;
      const error = { type: 'error', code: broken, text: message, turn: this.#turn.turn } as const;
      return { status: 'failed', code: broken, text: message, entries: [error] };
    }
    const { agents } = await this.#floor.sessions.meta(this.#turn.session);
    const place = { turn: this.#turn.turn, step: this.#now.step };
    const message = { type: 'message', text: said, mentions: mentionsIn(said, agents), ...place } as const;
    return { status: 'completed', ...codeOf(code), text: said, entries: [message] };
  }

  #takeIteration(): boolean {
    if (this.#withTools >= this.#turn.maxIterations || !this.#turn.budget.take()) return false;
    this.#withTools += 1;
    return true;
  }

  /** From now on the model is offered no tools, so its next reply is the last. */
  #force(why: Forced): void {
    this.#forced = why;
    this.#said.push({ role: 'user', text: why === 'turn_stuck' ? turnWords.stuck : turnWords.iterations });
  }

  /** What the model said beside calls that stand nowhere in what it reads. */
  #hear(text: string): void {
    if (!isBlank(text)) this.#said.push({ role: 'assistant', text });
  }

  #interim(text: string): readonly EntryBody[] {
    if (isBlank(text)) return [];
    const place = { turn: this.#turn.turn, step: this.#now.step };
    return [{ type: 'message', text: this.#clean(text), mentions: [], final: false, ...place }];
  }

  async #write(bodies: readonly EntryBody[]): Promise<void> {
    if (bodies.length === 0) return;
    const { database, session } = this.#turn;
    await this.#floor.owed.behind(session);
    await this.#floor.peer.transaction((tx) => {
      for (const body of bodies)
        tx.on(database).append(ENTRIES_TABLE, entryValue(body, this.#place.from, this.#floor.clock));
    });
  }

  #clean(text: string): string {
    return fitText(this.#floor.leaks.text(text).value);
  }
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function codeOf(code: string | undefined): { readonly code?: string } {
  return code === undefined ? {} : { code };
}
