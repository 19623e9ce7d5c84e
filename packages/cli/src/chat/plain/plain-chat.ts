import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { JsonObject, Timer } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { chatLimits } from '../../limits.ts';
import type { Question } from '../model/block.ts';
import type { ChatEvent, Fault } from '../model/chat-events.ts';
import { LiveTurns } from '../model/live-turns.ts';
import { Transcript } from '../model/transcript.ts';
import { visibleLine, visibleText } from '../text/visible-text.ts';
import { Errands } from '../wire/errands.ts';
import type { HostDoor } from '../wire/host-door.ts';
import { SessionLink } from '../wire/session-link.ts';
import { questionLines, tellBlock } from './plain-lines.ts';

const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/**
 * A chat without a terminal: each line of the input is said, or is a command, once what was said before is answered. Answers go to stdout, all else to stderr.
 * Exit 0 where the last turn ended well, 1 where it or a command did not, 3 where the end of a call is not known, 130 where it was broken off.
 */
export async function plainChat(
  context: Pick<CommandContext, 'clock' | 'random' | 'stdout' | 'stderr'>,
  options: {
    readonly door: HostDoor;
    readonly session: string;
    readonly input: Readable;
    readonly source?: Pick<NodeJS.Process, 'on' | 'off'>;
  },
): Promise<{ readonly exit: number; readonly session: string }> {
  const { source = process } = options;
  const chat = new PlainChat(context, options);
  const stop = () => chat.breakOff();
  for (const signal of signals) source.on(signal, stop);
  try {
    return await chat.run(options.input);
  } finally {
    for (const signal of signals) source.off(signal, stop);
  }
}

/** A line of the input. `isEarly`: nobody was asked anything when it came. */
type Line = { readonly text: string; readonly isEarly: boolean };

class PlainChat {
  readonly #context: Pick<CommandContext, 'clock' | 'random' | 'stdout' | 'stderr'>;
  readonly #door: HostDoor;
  #live = new LiveTurns();
  #transcript = new Transcript(this.#live);
  #link: SessionLink;
  #errands: Errands;
  /** Agents that answer a message and have not ended a turn for it. */
  #isWaiting = false;
  #messages = 0;
  #exit: number = exitCodes.done;
  #isUnknown = false;
  #isOver = false;
  #isBrokenOff = false;
  /** Nothing begins, so what waits is waited for until somebody lets the host go on. */
  #isPaused = false;
  /** How long an end of what was broken off is still waited for. */
  #lastWord: Timer | null = null;
  #questions: readonly Question[] = [];
  readonly #told = new Set<string>();
  #isInputOver = false;
  /** What was said while a call waited. */
  #held: string[] = [];
  /** What to try again when something has happened. */
  #woken: (() => void) | null = null;
  #isLive = false;

  constructor(
    context: Pick<CommandContext, 'clock' | 'random' | 'stdout' | 'stderr'>,
    { door, session }: { readonly door: HostDoor; readonly session: string },
  ) {
    this.#context = context;
    this.#door = door;
    [this.#link, this.#errands] = this.#open(session);
  }

  async run(input: Readable): Promise<{ readonly exit: number; readonly session: string }> {
    const lines = createInterface({ input, terminal: false });
    const waiting: Line[] = [];
    lines.on('line', (text) => {
      waiting.push({ text, isEarly: this.#questions.length === 0 });
      this.#wake();
    });
    lines.once('close', () => {
      this.#isInputOver = true;
      this.#wake();
    });
    try {
      await this.#until(() => this.#isLive);
      while (!this.#isOver) {
        const isNext = () => waiting.length > 0 || (this.#held.length > 0 && !this.#isWaiting);
        await this.#until(() => isNext() || this.#isInputOver);
        if (!this.#isWaiting)
          waiting.unshift(...this.#held.splice(0).map((text) => ({ text, isEarly: true })));
        if (waiting.length === 0 && this.#isInputOver && !this.#isWaiting) break;
        await this.#until(() => !this.#isWaiting || this.#canGoOn(waiting));
        if (this.#isOver) break;
        if (this.#isBrokenOff) waiting.length = this.#held.length = 0;
        if (this.#isWaiting && this.#isAlone(waiting)) await this.#denyAll();
        else await this.#next(waiting);
      }
    } finally {
      lines.close();
      input.destroy();
      this.#lastWord?.cancel();
      this.#errands.close();
      await this.#link.close();
    }
    const exit = this.#isBrokenOff ? exitCodes.interrupted : this.#isUnknown ? exitCodes.unknown : this.#exit;
    return { exit, session: this.#link.session };
  }

  /** The turn is cancelled and its end waited for, not for ever; a second time, or where nothing runs, nothing is waited for. */
  breakOff(): void {
    if (this.#isBrokenOff || !this.#isWaiting) this.#isOver = true;
    else {
      void this.#errands.run({ do: 'cancel' }, this.#link);
      this.#lastWord = this.#context.clock.setTimer(chatLimits.lastWordMs, () => this.#end());
    }
    this.#isBrokenOff = true;
    this.#isInputOver = true;
    this.#wake();
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** While somebody is asked, a command may answer; where nobody can, that is said. On a paused host a command may let it go on. */
  #canGoOn(waiting: readonly Line[]): boolean {
    if (this.#isPaused && waiting.length > 0) return true;
    if (this.#questions.length === 0) return false;
    return waiting.length > 0 || this.#isInputOver;
  }

  /** Nobody decides: the input is over, or what comes next was written before anybody was asked. */
  #isAlone([next]: readonly Line[]): boolean {
    if (this.#questions.length === 0) return false;
    return next === undefined ? this.#isInputOver : next.isEarly;
  }

  /** The next line; while somebody is asked a command alone, what is said waits. */
  async #next(waiting: Line[]): Promise<void> {
    const [first] = waiting;
    if (first === undefined) return;
    const isHeld = this.#isWaiting && !first.text.startsWith('/');
    if (!isHeld) {
      waiting.shift();
      await this.#say(first.text);
      return;
    }
    const why = this.#questions.length > 0 ? 'a call waits for a decision' : 'the host is paused';
    this.#context.stderr(`fairlead: ${why}; this is said afterwards\n`);
    this.#held.push(first.text);
    waiting.shift();
  }

  async #denyAll(): Promise<void> {
    const asked = this.#questions;
    this.#questions = [];
    for (const { id, tool } of asked) {
      this.#context.stderr(`fairlead: nobody is there to decide: ${visibleLine(tool)} is denied\n`);
      await this.#errands.run({ do: 'decide', approval: id, decision: 'deny' }, this.#link);
    }
  }

  async #say(line: string): Promise<void> {
    if (line.trim() === '') return;
    if (line.startsWith('/')) {
      await this.#errands.run({ do: 'command', line }, this.#link);
      // It may have let the host go on: what comes next then waits for the turn.
      if (this.#isPaused) await this.#errands.run({ do: 'paused' }, this.#link);
      return;
    }
    this.#messages += 1;
    this.#isWaiting = true;
    await this.#errands.run({ do: 'post', message: this.#messages, text: line }, this.#link);
  }

  #open(session: string): [SessionLink, Errands] {
    const { clock, random } = this.#context;
    this.#isLive = false;
    this.#live = new LiveTurns();
    this.#transcript = new Transcript(this.#live);
    const hear = (event: ChatEvent) => {
      if (this.#link !== link) return;
      this.#take(event);
      this.#wake();
    };
    const link: SessionLink = new SessionLink({
      door: this.#door,
      clock,
      session,
      hear: (event) => hear(event),
    });
    const outcome = {
      hear,
      open: (other: string) => {
        this.#errands.close();
        void this.#link.close();
        [this.#link, this.#errands] = this.#open(other);
      },
      leave: () => this.#end(),
    };
    return [link, new Errands({ door: this.#door, random, outcome })];
  }

  #take(event: ChatEvent): void {
    const nowMs = this.#context.clock.monotonicMs();
    switch (event.kind) {
      case 'opened':
        for (const entry of event.entries) {
          const isNew = this.#transcript.hear(entry, nowMs);
          if (isNew && !event.isNew) this.#ended(entry);
        }
        // What was said before is read with `fairlead session show`.
        if (event.isNew) this.#transcript.skipTo(0);
        this.#print();
        return;
      case 'link':
        if (!event.isLive && this.#isLive)
          this.#context.stderr('fairlead: the host does not answer; waiting for it\n');
        this.#isLive = event.isLive;
        if (event.isLive) void this.#errands.run({ do: 'questions' }, this.#link);
        return;
      case 'stream':
        this.#stream(event.event, event.data, nowMs);
        return;
      case 'questions':
        this.#ask(event.questions);
        return;
      case 'unposted':
        this.#isWaiting = false;
        this.#failed(event.fault);
        return;
      case 'posted':
        if (!event.isHeard) this.#isWaiting = false;
        else void this.#errands.run({ do: 'paused' }, this.#link);
        return;
      case 'paused':
        this.#pause(event.fault);
        return;
      case 'cancelled':
        // No turn ends that never began.
        if (this.#isBrokenOff && !event.wasRunning) this.#isOver = true;
        return;
      case 'answered':
        if (event.text !== '') this.#context.stdout(`${visibleText(event.text)}\n`);
        return;
      case 'failed':
        this.#failed(event.fault);
        return;
      default:
    }
  }

  #stream(event: string, data: JsonObject, nowMs: number): void {
    if (event === 'entry') {
      if (this.#transcript.hear(data, nowMs)) this.#ended(data);
      this.#print();
      return;
    }
    if (event === 'state') this.#isPaused = false;
    if (event === 'approval' || (event === 'state' && data['state'] === 'approval'))
      void this.#errands.run({ do: 'questions' }, this.#link);
  }

  #ended(entry: JsonObject): void {
    const { type, status, certainty } = entry;
    if (type === 'tool_result' && certainty === 'outcome_unknown') this.#isUnknown = true;
    if (type !== 'turn_end') return;
    this.#isWaiting = this.#isPaused = false;
    this.#exit = status === 'completed' || status === 'silent' ? exitCodes.done : exitCodes.failed;
  }

  /** Said once for each pause: what was said stands, and is answered when the host goes on. */
  #pause(fault: Fault | null): void {
    if (fault !== null && this.#isWaiting && !this.#isPaused) this.#tell(fault);
    this.#isPaused = fault !== null && this.#isWaiting;
  }

  #failed(fault: Fault): void {
    this.#exit = exitCodes.failed;
    this.#tell(fault);
  }

  #tell({ message, code, next }: Fault): void {
    this.#context.stderr(`fairlead: ${visibleLine(message)} (${visibleLine(code)})\n`);
    if (next !== null) this.#context.stderr(`  next: ${visibleLine(next)}\n`);
  }

  #ask(questions: readonly Question[]): void {
    this.#questions = questions;
    for (const question of questions) {
      if (this.#told.has(question.id)) continue;
      this.#told.add(question.id);
      this.#context.stderr(questionLines(question));
    }
  }

  #print(): void {
    for (const [, block] of this.#transcript.take()) tellBlock(this.#context, block);
  }

  #wake(): void {
    this.#woken?.();
  }

  /** Waits for events until something holds, or nothing is waited for any more. */
  async #until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#woken = resolve;
      });
    }
  }
}
