import { isJsonObject, type JsonObject } from '@fairlead/base';
import { chatLimits } from '../../limits.ts';
import type { Marks } from '../text/marks.ts';
import type { StyledLine } from '../text/styled-line.ts';
import { type Question, word } from './block.ts';
import type { ChatEvent, ChatWish, Fault, SessionShown } from './chat-events.ts';
import { pressKey } from './chat-keys.ts';
import { type Names, noNames } from './completion.ts';
import { type Editor, editorWith, emptyEditor } from './editor.ts';
import { emptyHistory, type InputHistory, remember } from './input-history.ts';
import { LiveTurns } from './live-turns.ts';
import { openedBlock } from './opened-block.ts';
import { panelFor, type QuestionPanel } from './question-panel.ts';
import { Transcript } from './transcript.ts';
import { WholeRows } from './whole-rows.ts';

/** A message on its way. */
export type Outgoing = { readonly message: number; readonly text: string; readonly entry: string | null };

/** Looking back through what was said: `place` is where the next search begins. */
export type Search = { readonly words: string; readonly place: number; readonly text: string | null };

/** Reading back: rows between the last one and the end. */
export type Reading = { readonly back: number };

/** A line that goes away again. */
export type Notice = { readonly text: string; readonly isBad: boolean; readonly untilMs: number };

/**
 * All that a chat knows, without a terminal and without a host: events go in, wishes come out, `chat-frame.ts` shows it. Never throws, whatever comes.
 */
export class ChatModel {
  columns: number;
  rows: number;
  readonly marks: Marks;
  session: SessionShown | null = null;
  /** The host does not answer any more, or did not at the first attempt. */
  isLost = false;
  isLeaving = false;
  editor: Editor = emptyEditor;
  history: InputHistory = emptyHistory;
  names: Names = noNames;
  /** The choice of the menu that was taken up; -1 where none is. */
  choice = -1;
  isMenuShut = false;
  search: Search | null = null;
  reading: Reading | null = null;
  panel: QuestionPanel | null = null;
  notice: Notice | null = null;
  isHelpShown = false;
  outgoing: readonly Outgoing[] = [];
  /** Commands that were sent and not answered. */
  asked: readonly string[] = [];
  live = new LiveTurns();
  transcript = new Transcript(this.live);
  /** The entry before which older ones are; null where there are none. */
  older: string | null = null;
  isOlderAsked = false;
  interruptedMs: number | null = null;
  #questions: readonly Question[] = [];
  #told = new Set<string>();
  /** Decided, whatever a list says that was written before. */
  #settled = new Set<string>();
  #messages = 0;
  readonly #whole = new WholeRows();

  constructor(options: {
    readonly columns: number;
    readonly rows: number;
    readonly marks: Marks;
  }) {
    this.columns = options.columns;
    this.rows = options.rows;
    this.marks = options.marks;
  }

  /** True while something on the screen changes with the time. */
  get isBusy(): boolean {
    return this.live.isRunning || this.asked.length > 0 || this.notice !== null || this.isLost;
  }

  /** How many calls wait for somebody, beside the one that is asked about. */
  get questionsBehind(): number {
    return Math.max(0, this.#questions.length - 1);
  }

  /** Everything that was read so far, as rows. */
  wholeRows(): readonly StyledLine[] {
    const { columns, marks, live } = this;
    return this.#whole.of(this.transcript.blocks, { columns, marks, words: live.words.text });
  }

  /** True where nothing that was read stands above what is shown. */
  isAtTop(back: number): boolean {
    return back >= this.wholeRows().length - (this.rows - 1);
  }

  /** Something happened. */
  take(event: ChatEvent, nowMs: number): readonly ChatWish[] {
    if (this.notice !== null && nowMs >= this.notice.untilMs) this.notice = null;
    switch (event.kind) {
      case 'key':
        return pressKey(this, event.key, nowMs);
      case 'resized':
        this.columns = event.columns;
        this.rows = event.rows;
        return [];
      case 'tick':
      case 'cancelled':
      case 'paused':
        return [];
      case 'opened':
        return this.#opened(event, nowMs);
      case 'session':
        this.#shown(event.session, nowMs);
        return [];
      case 'link':
        return this.#linked(event.isLive);
      case 'stream':
        return this.#stream(event.event, event.data, nowMs);
      case 'older':
        this.older = event.before;
        this.isOlderAsked = false;
        this.transcript.before(event.entries, nowMs);
        return [];
      case 'questions':
        this.#ask(event.questions, nowMs);
        return [];
      case 'names':
        this.names = event.names;
        return [];
      case 'posted':
        this.#posted(event.message, event.entry);
        return [];
      case 'unposted':
        this.#unposted(event.message, event.fault);
        return [];
      case 'answered':
        this.asked = without(this.asked, event.line);
        this.transcript.add({ kind: 'output', line: event.line, text: event.text });
        return [{ do: 'session' }, { do: 'names' }];
      case 'failed':
        return this.#failed(event.line, event.fault);
    }
  }

  /** A line that goes away by itself. */
  say(text: string, nowMs: number, isBad = false): void {
    this.notice = { text, isBad, untilMs: nowMs + chatLimits.noticeMs };
  }

  /** Sends what was written: a command, or something that is said. */
  send(text: string): readonly ChatWish[] {
    this.history = remember(this.history, text);
    this.editor = emptyEditor;
    if (/^\/[^/\s]/.test(text) || text === '/?') {
      const line = text.trim();
      if (line === '/clear') return [{ do: 'clear' }];
      this.asked = [...this.asked, line];
      return [{ do: 'command', line }];
    }
    this.#messages += 1;
    const message = this.#messages;
    this.outgoing = [...this.outgoing, { message, text, entry: null }];
    return [{ do: 'post', message, text }];
  }

  #opened(event: ChatEvent & { readonly kind: 'opened' }, nowMs: number): readonly ChatWish[] {
    const { session, entries, before, isNew } = event;
    if (isNew) {
      this.live = new LiveTurns();
      this.transcript = new Transcript(this.live);
      this.outgoing = [];
      this.#questions = [];
      this.#told = new Set();
      this.#settled = new Set();
      this.panel = null;
      this.reading = null;
      this.older = before;
    }
    const block = openedBlock(session, this.marks.dot);
    for (const entry of entries) this.#entry(entry, nowMs);
    if (isNew) {
      const skipped = this.transcript.skipTo(chatLimits.openedBlocks);
      const hasMore = skipped > 0 || before !== null;
      this.transcript.putFirst(hasMore ? { ...block, more: `${block.more}; Page Up reads back` } : block);
    }
    // What ran while nobody listened is over; what is told of it comes as entries.
    if (session.running === null) this.live.nothing();
    this.#shown(session, nowMs);
    return [{ do: 'questions' }, { do: 'names' }];
  }

  /** What the host says of the session: what runs there, for one. */
  #shown(session: SessionShown, nowMs: number): void {
    this.session = session;
    const { running } = session;
    if (running !== null) this.live.running(word(running['turn']), running, nowMs);
  }

  #linked(isLive: boolean): readonly ChatWish[] {
    const wasLost = this.isLost;
    this.isLost = !isLive;
    return isLive && wasLost && this.session !== null ? [{ do: 'session' }, { do: 'questions' }] : [];
  }

  #stream(event: string, data: JsonObject, nowMs: number): readonly ChatWish[] {
    if (event === 'entry') return this.#entry(data, nowMs);
    this.live.hear(event, data, nowMs);
    // Whoever decided it: nobody is asked any more.
    if (event === 'approval' && data['state'] !== 'open') {
      this.#settled.add(word(data['approval']));
      this.#ask(this.#questions, nowMs);
    }
    const isAsked = event === 'approval' || (event === 'state' && data['state'] === 'approval');
    return isAsked ? [{ do: 'questions' }] : [];
  }

  #entry(entry: JsonObject, nowMs: number): readonly ChatWish[] {
    if (!this.transcript.hear(entry, nowMs)) return [];
    const { type } = entry;
    if (type === 'message' && isJsonObject(entry['from'] ?? null)) this.#mine(entry);
    return type === 'turn_end' ? [{ do: 'session' }, { do: 'questions' }] : [];
  }

  /** A message of a person: it may be one that was on its way, and can be found again. */
  #mine(entry: JsonObject): void {
    if ((entry['from'] as JsonObject)['kind'] !== 'person') return;
    const text = word(entry['text']);
    const id = word(entry['id']);
    this.history = remember(this.history, text);
    const known = this.outgoing.find(
      (each) => each.entry === id || (each.entry === null && each.text === text),
    );
    if (known !== undefined) this.outgoing = this.outgoing.filter((each) => each !== known);
  }

  #posted(message: number, entry: string): void {
    this.outgoing = this.outgoing.flatMap((each) => {
      if (each.message !== message) return [each];
      return this.transcript.has(entry) ? [] : [{ ...each, entry }];
    });
  }

  /** What was refused can be sent again, changed. */
  #unposted(message: number, fault: Fault): void {
    const refused = this.outgoing.find((each) => each.message === message);
    this.outgoing = this.outgoing.filter((each) => each.message !== message);
    this.#fault(fault);
    if (refused !== undefined && this.editor.text === '') this.editor = editorWith(refused.text);
  }

  #failed(line: string | null, fault: Fault): readonly ChatWish[] {
    this.asked = line === null ? this.asked : without(this.asked, line);
    this.isOlderAsked = false;
    if (line !== null) this.transcript.add({ kind: 'output', line, text: '' });
    this.#fault(fault);
    if (this.panel?.isSent === true) this.panel = { ...this.panel, isSent: false, choice: null, letter: '' };
    return [{ do: 'questions' }];
  }

  #fault({ message, code, next }: Fault): void {
    this.transcript.add({ kind: 'fault', text: message, code, next });
  }

  /** What waits now. Each is told once, whole, before it is asked about. */
  #ask(listed: readonly Question[], nowMs: number): void {
    this.#questions = listed.filter(({ id }) => !this.#settled.has(id));
    const [first] = this.#questions;
    if (first === undefined) {
      this.panel = null;
      return;
    }
    if (!this.#told.has(first.id)) {
      this.#told.add(first.id);
      this.transcript.add({ kind: 'question', question: first });
    }
    if (this.panel?.question.id !== first.id)
      this.panel = panelFor(first, nowMs, this.editor.text !== '' || this.search !== null);
  }
}

function without(lines: readonly string[], line: string): readonly string[] {
  const place = lines.indexOf(line);
  return lines.filter((_, index) => index !== place);
}
