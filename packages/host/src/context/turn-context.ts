import { FairleadError } from '@fairlead/base';
import type { OwnedMessage, OwnedText } from '@fairlead/extension/runtime';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { Database, RecordId } from '@fairlead/store';
import { readEntry } from '../entries/read-entry.ts';
import { contextLimits, entryLimits } from '../limits.ts';
import type { Message, ModelTool } from '../models/model.ts';
import type { HostModel } from '../models/models.ts';
import type { TokenEstimate } from '../models/token-estimate.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';
import { type AddedText, beyondShare } from './beyond-share.ts';
import { budgetOf } from './budget.ts';
import { saidText } from './entry-words.ts';
import { fit, leastCost } from './fit.ts';
import { History } from './history.ts';
import { Measure } from './measure.ts';
import { type Piece, piecesOf, textPiece } from './piece.ts';
import { tailText } from './tails.ts';

/** Whose context it is, and where in the session it stands; the same for all steps of a turn. */
export interface TurnContextOptions {
  readonly database: Pick<Database, 'table' | 'changes'>;
  /** This peer's id: an agent's own entries are those that its home wrote. */
  readonly peerId: string;
  readonly agent: AttachedAgent;
  /** The turn, whose `ack` stands: nothing behind it is read. Absent: everything is. */
  readonly turn?: string;
  /** What the turn answers: it stands at the end of the history, in this order, wherever it was written. */
  readonly asked: readonly RecordId[];
  /** What waits for another turn, of whichever agent: left out. Read it after the `ack` stands. */
  readonly waiting?: ReadonlySet<RecordId>;
  /** It goes on where an earlier turn was cut short. */
  readonly resumes?: boolean;
}

/** What one step's request is made of, beside the history. */
export interface ContextRequest {
  readonly model: Pick<HostModel, 'contextWindow' | 'maxTokens' | 'tokens'>;
  /** The agent's own bound. */
  readonly maxContextTokens?: number;
  /** Parts of the system prompt, in order: the agent's words, the room note. Empty ones are left out. */
  readonly system: readonly string[];
  /** Blocks of extensions, behind these parts. */
  readonly blocks?: readonly OwnedText[];
  /** What `beforeAgentStart` added. */
  readonly added?: readonly OwnedMessage[];
  /** Blocks for the newest user message; never stored. */
  readonly tails?: readonly OwnedText[];
  /** As `offeredTools` gave them; empty for a step without tools. */
  readonly tools: readonly ModelTool[];
  /** This turn's earlier steps, with reasoning and metadata as they came; results as `toolMessage` made them. */
  readonly steps: readonly Message[];
}

/** The messages of one request, within its budget. */
export interface AssembledContext {
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  /** What the reply may have. */
  readonly maxTokens: number;
  /** Tokens of messages and tools, about. */
  readonly estimatedInput: number;
  /** Tokens that there were for them. */
  readonly budget: number;
  /** Results that became a line, and messages of the session or the turn that were dropped, of those that were read. */
  readonly left: { readonly results: number; readonly entries: number };
  /** What extensions add and there was no room for. */
  readonly beyond: readonly AddedText[];
}

const GO_ON =
  '[Your turn before this one was cut short. Go on where it stopped; a call whose outcome is unknown may have had its effect.]';

/** In front of a conversation whose first words would be the assistant's: some back ends refuse those. */
const BEFORE: Message = { role: 'user', text: '[What came before is left out.]' };

/** What reaches the model in one turn. Reads the session once, from the newest entry back, and again when a summary arrives. */
export class TurnContext {
  readonly #options: TurnContextOptions;
  #history: History;
  #asked: Promise<readonly Piece[]> | undefined;
  #changes: number;
  #newest: RecordId | undefined;
  #measured: { readonly tokens: TokenEstimate; readonly measure: Measure } | undefined;
  /** What frames the steps is mostly the same from one to the next: it is estimated once. */
  readonly #framing = new Map<string, Message>();

  constructor(options: TurnContextOptions) {
    this.#options = options;
    this.#changes = options.database.changes(ENTRIES_TABLE);
    this.#history = this.#begin();
  }

  /** The newest texts, oldest first, what is asked among them: what tails are told. */
  async recent(): Promise<readonly string[]> {
    const { recent, recentUnits } = contextLimits;
    while (this.#history.texts.length < recent && !this.#history.ended) await this.#more();
    const asked = (await this.#question()).flatMap(({ messages }) => messages.map(({ text }) => text));
    const texts = [...this.#history.texts.toReversed(), ...asked].slice(-recent);
    return texts.map((text) => text.slice(0, recentUnits).toWellFormed());
  }

  /** The request of the next step. Rejects with a code of the store. */
  async assemble(request: ContextRequest): Promise<AssembledContext> {
    const { model, maxContextTokens, tools, steps } = request;
    await this.#refresh();
    const measure = this.#measureFor(model.tokens);
    const budget = budgetOf(model, maxContextTokens);
    const { frame, beyond } = this.#frameOf(request, budget.input, measure);
    const asked = await this.#question();
    const fixed = [...frame.system, ...frame.added, ...frame.tail];
    const taken = sum(fixed, (message) => measure.cost(message)) + sum(tools, (tool) => measure.tool(tool));
    const room = budget.input - taken - measure.cost(BEFORE);
    await this.#readFor(room, asked, measure);
    const { summary, pieces: history } = this.#history;
    const fitted = fit({ summary, history, asked, steps: piecesOf(steps) }, room, measure);
    const spoken = [...fitted.history, ...frame.added, ...fitted.asked, ...fitted.steps];
    const before = spoken.length === 0 || spoken[0]?.role === 'user' ? [] : [BEFORE];
    const said = [...before, ...fitted.history, ...fitted.asked, ...fitted.steps];
    return {
      messages: [...frame.system, ...withTail([...before, ...spoken], frame.tail)],
      tools,
      maxTokens: budget.maxTokens,
      estimatedInput: taken + sum(said, (message) => measure.cost(message)),
      budget: budget.input,
      left: fitted.left,
      beyond,
    };
  }

  #begin(): History {
    const { database, peerId, agent, turn, asked, waiting = [] } = this.#options;
    const apart = new Set([...asked, ...waiting]);
    return new History(database, { peerId, agent, apart, ...(turn === undefined ? {} : { turn }) });
  }

  async #more(): Promise<void> {
    await this.#history.more();
    this.#newest ??= this.#history.newest;
  }

  /** Reads on until the history fills the room by itself. */
  async #readFor(room: number, asked: readonly Piece[], measure: Measure): Promise<void> {
    const messages = asked.flatMap((piece) => piece.messages);
    const left = room - sum(messages, (message) => measure.cost(message));
    const wanted = () =>
      (asked.length === 0 && this.#history.newest === undefined) ||
      leastCost(this.#history.pieces, left, measure) <= left;
    while (!this.#history.ended && wanted()) await this.#more();
  }

  /** Begins anew where a summary was written since: what it stands for is no longer sent. */
  async #refresh(): Promise<void> {
    const { database } = this.#options;
    const changes = database.changes(ENTRIES_TABLE);
    if (changes === this.#changes || this.#newest === undefined) return;
    this.#changes = changes;
    if (await this.#summaryCame(this.#newest)) this.#history = this.#begin();
  }

  async #summaryCame(after: RecordId): Promise<boolean> {
    let came = false;
    let seen = 0;
    try {
      for await (const { id, value } of this.#options.database.table(ENTRIES_TABLE).scan(after)) {
        this.#newest = id;
        seen += 1;
        if (readEntry(id, value)?.type === 'summary') came = true;
        if (seen >= entryLimits.lookBack) break;
      }
    } catch (error) {
      // What was the newest was taken back meanwhile, by rights that arrived later.
      if (!(error instanceof FairleadError) || error.code !== 'record_not_found') throw error;
      return true;
    }
    return came;
  }

  #question(): Promise<readonly Piece[]> {
    this.#asked ??= this.#readAsked();
    return this.#asked;
  }

  async #readAsked(): Promise<readonly Piece[]> {
    const { database, asked, agent, resumes = false } = this.#options;
    const table = database.table(ENTRIES_TABLE);
    const pieces: Piece[] = [];
    for (const id of asked) {
      const row = await table.at(id);
      const entry = row === undefined ? undefined : readEntry(id, row.value);
      if (entry?.type === 'message' || entry?.type === 'directive')
        pieces.push(textPiece('user', saidText(entry, agent.id)));
    }
    return resumes ? [...pieces, textPiece('user', GO_ON)] : pieces;
  }

  /** What extensions add as the system's is in front, with the rest of it. What goes beyond their share is not there. */
  #frameOf(request: ContextRequest, input: number, measure: Measure): Framing {
    const { system, blocks = [], added = [], tails = [] } = request;
    const beyond = this.#beyondOf(request, input, measure);
    const out = new Set(beyond.map(({ from }) => from));
    const kept = <T extends OwnedText>(texts: readonly T[]) => texts.filter((text) => !out.has(text));
    const tail = tailText(kept(tails));
    const of = (role: 'system' | 'user') =>
      kept(added)
        .filter((message) => message.role === role)
        .map(({ text }) => this.#framed(role, text));
    const frame = {
      system: [...this.#instruction([...system, ...kept(blocks).map(({ text }) => text)]), ...of('system')],
      added: of('user'),
      tail: tail === '' ? [] : [this.#framed('user', tail)],
    };
    return { frame, beyond: beyond.map(({ from: _from, ...text }) => text) };
  }

  /** Of what extensions add, that for which the agent's words and its tools leave no room. */
  #beyondOf(request: ContextRequest, input: number, measure: Measure): readonly OfExtension[] {
    const { system, blocks = [], added = [], tails = [], tools } = request;
    const own = sum(this.#instruction(system), (message) => measure.cost(message));
    const left = input - own - sum(tools, (tool) => measure.tool(tool));
    const cost = (from: OwnedText, kind: AddedText['kind'], message: Message): OfExtension => ({
      from,
      owner: from.owner,
      kind,
      tokens: measure.cost(message),
    });
    const texts = [
      ...blocks.filter(hasWords).map((from) => cost(from, 'block', this.#framed('system', from.text))),
      ...added.map((from) => cost(from, 'message', this.#framed(from.role, from.text))),
      ...tails.filter(hasWords).map((from) => cost(from, 'tail', this.#framed('user', tailText([from])))),
    ];
    return beyondShare(texts, left / contextLimits.addedPart);
  }

  /** One message of the parts that have words, or none. */
  #instruction(parts: readonly string[]): readonly Message[] {
    const words = parts.filter((part) => part.trim() !== '').join('\n\n');
    return words === '' ? [] : [this.#framed('system', words)];
  }

  #framed(role: 'system' | 'user', text: string): Message {
    const key = `${role} ${text}`;
    const known = this.#framing.get(key);
    if (known !== undefined) return known;
    const message = { role, text };
    this.#framing.set(key, message);
    return message;
  }

  #measureFor(tokens: TokenEstimate): Measure {
    if (this.#measured?.tokens !== tokens) this.#measured = { tokens, measure: new Measure(tokens) };
    return this.#measured.measure;
  }
}

/** What stands around the conversation, whatever it is. */
interface Frame {
  readonly system: readonly Message[];
  readonly added: readonly Message[];
  /** One user's text, or none. */
  readonly tail: readonly Message[];
}

interface Framing {
  readonly frame: Frame;
  readonly beyond: readonly AddedText[];
}

/** What an extension adds, as it was handed in. */
interface OfExtension extends AddedText {
  readonly from: OwnedText;
}

function hasWords({ text }: OwnedText): boolean {
  return text.trim() !== '';
}

/** The tail behind the newest text of a user, or by itself where there is none. */
function withTail(messages: readonly Message[], [tail]: readonly Message[]): readonly Message[] {
  if (tail === undefined) return messages;
  const newest = messages.findLastIndex(({ role }) => role === 'user');
  const message = messages[newest];
  if (message === undefined) return [...messages, tail];
  return messages.with(newest, { role: 'user', text: `${message.text}\n\n${tail.text}` });
}

function sum<T>(items: readonly T[], cost: (item: T) => number): number {
  return items.reduce((tokens, item) => tokens + cost(item), 0);
}
