import type { RecordId, Row } from '@fairlead/store';
import type { Entry } from '../entries/entry.ts';
import { readEntry } from '../entries/read-entry.ts';
import { contextLimits } from '../limits.ts';
import { callLine, saidText, summaryText } from './entry-words.ts';
import { type Piece, StepPiece, textPiece } from './piece.ts';
import { callName, settledMessage } from './tool-message.ts';

/** Whose history it is, and which part of the session. */
export interface HistoryPlace {
  /** This peer's id: an agent's own entries are those that its home wrote. */
  readonly peerId: string;
  readonly agent: { readonly id: string };
  /** The turn whose `ack` it ends at. Absent: the newest entry. */
  readonly turn?: string;
  /** Entries that have no part in it: what the turn answers, and what waits for another one. */
  readonly apart: ReadonlySet<RecordId>;
}

type Of<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>;

/**
 * Makes pieces of entries that come newest first. What an agent answered stands where its answer begins: a question that came during another
 * turn is followed by its own answer.
 */
export class HistoryDraft {
  readonly #place: HistoryPlace;
  /** Newest first; so are the pieces of one spot. */
  readonly #spots: Piece[][] = [];
  readonly #spotOf = new Map<RecordId, Piece[]>();
  readonly #steps = new Map<string, StepPiece>();
  readonly #results = new Map<string, Of<'tool_result'>>();
  readonly #settled = new Map<string, Of<'tool_settled'>>();
  readonly #seen = new Set<RecordId>();
  readonly #texts: string[] = [];
  #summaryPiece: Piece | undefined;
  #until: RecordId | undefined;
  #begun: boolean;
  #used = 0;

  constructor(place: HistoryPlace) {
    this.#place = place;
    this.#begun = place.turn === undefined;
  }

  /** Oldest first. */
  get pieces(): readonly Piece[] {
    return this.#spots.flat().reverse();
  }

  /** What stands in the place of what is older. */
  get summary(): readonly Piece[] {
    return this.#summaryPiece === undefined ? [] : [this.#summaryPiece];
  }

  /** What was said, newest first. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** How many entries were looked at, those behind the `ack` not counted. */
  get used(): number {
    return this.#used;
  }

  /** Takes the next older entry. False where it and what is older has no part in the history. */
  take(row: Row): boolean {
    if (row.id === this.#until) return false;
    this.#seen.add(row.id);
    if (this.#begun) this.#used += 1;
    const entry = readEntry(row.id, row.value);
    if (entry === undefined || entry.type === 'unknown') return true;
    if (entry.type === 'summary') this.#takeSummary(entry);
    else if (this.#begun) this.#takeEntry(entry, row.peer);
    else if (entry.type === 'ack' && entry.turn === this.#place.turn)
      this.#begun = this.#isOwn(entry, row.peer);
    return true;
  }

  /** The newest one counts, unless it claims to stand for what came after it. */
  #takeSummary(entry: Of<'summary'>): void {
    if (this.#summaryPiece !== undefined || this.#seen.has(entry.upto)) return;
    this.#summaryPiece = textPiece('user', summaryText(entry, this.#place.agent.id));
    this.#until = entry.upto;
  }

  #takeEntry(entry: Exclude<Entry, Of<'summary'>>, peer: string): void {
    switch (entry.type) {
      case 'message':
      case 'directive':
        if (!this.#place.apart.has(entry.id)) this.#takeSaid(entry, peer);
        break;
      case 'ack':
        if (this.#isOwn(entry, peer)) this.#keepSpot(entry);
        break;
      case 'tool_settled':
        this.#settled.set(`${peer} ${entry.call}`, entry);
        break;
      case 'tool_result':
        this.#results.set(`${peer} ${entry.call}`, entry);
        break;
      case 'tool_call':
        this.#takeCall(entry, peer);
        break;
      case 'turn_end':
      case 'error':
      case 'approval_request':
      case 'approval_decision':
        break;
    }
  }

  #takeSaid(entry: Of<'message'> | Of<'directive'>, peer: string): void {
    if (entry.text.trim() === '') return;
    if (this.#texts.length < contextLimits.recent) this.#texts.push(entry.text);
    const { agent } = this.#place;
    if (entry.type === 'message' && this.#isOwn(entry, peer)) {
      const step = this.#steps.get(`${entry.turn} ${entry.step}`);
      if (step === undefined || step.hasText) this.#put(textPiece('assistant', entry.text));
      else step.say(entry.text);
      return;
    }
    const piece = textPiece('user', saidText(entry, agent.id));
    const spot = this.#spotOf.get(entry.id);
    if (spot === undefined) this.#put(piece);
    else spot.push(piece);
  }

  #takeCall(entry: Of<'tool_call'>, peer: string): void {
    const key = `${peer} ${entry.call}`;
    const result = this.#results.get(key);
    if (result === undefined) return;
    // An id has one call: the same one again has no result any more.
    this.#results.delete(key);
    if (!this.#isOwn(entry, peer)) {
      const settled = this.#settled.get(key);
      const end =
        settled === undefined ? result : { certainty: settled.certainty, error: settled.code !== undefined };
      this.#put(textPiece('user', callLine(entry.from, entry.tool, end)));
      return;
    }
    this.#stepOf(entry).add({
      index: entry.index ?? 0,
      id: entry.call,
      tool: callName(entry.tool),
      arguments: entry.arguments,
      result: settledMessage(entry.tool, result, this.#settled.get(key)),
    });
  }

  #stepOf({ turn, step, call }: Of<'tool_call'>): StepPiece {
    const key = `${turn} ${step ?? call}`;
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    const made = new StepPiece();
    this.#steps.set(key, made);
    this.#put(made);
    return made;
  }

  /** What a turn answered belongs in front of it; where the same is asked of several turns, in front of the newest. */
  #keepSpot({ for: answered }: Of<'ack'>): void {
    const spot: Piece[] = [];
    this.#spots.push(spot);
    for (const id of answered) if (!this.#seen.has(id) && !this.#spotOf.has(id)) this.#spotOf.set(id, spot);
  }

  #put(piece: Piece): void {
    this.#spots.push([piece]);
  }

  /** Written by the agent's home, which is here: what another peer wrote in its name is somebody else's word. */
  #isOwn({ from }: Entry, peer: string): boolean {
    return peer === this.#place.peerId && from.kind === 'agent' && from.id === this.#place.agent.id;
  }
}
