import type { ReadStream, WriteStream } from 'node:tty';
import type { Timer } from '@fairlead/base';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { chatLimits } from '../limits.ts';
import type { ChatEvent, ChatWish } from './model/chat-events.ts';
import { doneRows, frameOf } from './model/chat-frame.ts';
import { ChatModel } from './model/chat-model.ts';
import { Painter } from './terminal/painter.ts';
import { type ExitSource, takeTerminal } from './terminal/terminal.ts';
import { asciiMarks, unicodeMarks } from './text/marks.ts';
import { Errands } from './wire/errands.ts';
import type { HostDoor } from './wire/host-door.ts';
import { SessionLink } from './wire/session-link.ts';

/** The signals that end a program, and what crashes it. */
const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** What came of a chat. */
export type ChatEnd = {
  readonly exit: number;
  /** The session that it was in last. */
  readonly session: string;
  /** Messages of which the host has not said that it has them. */
  readonly unsent: number;
};

/** A chat on a terminal, from its first frame until somebody leaves. The terminal is given back in whatever way it ends. */
export async function terminalChat(
  context: Pick<CommandContext, 'clock' | 'random' | 'env'>,
  options: {
    readonly door: HostDoor;
    readonly session: string;
    readonly input: ReadStream;
    readonly output: WriteStream;
    readonly source?: ExitSource;
  },
): Promise<ChatEnd> {
  const { input, output, source = process } = options;
  const screen = new Screen(context, { ...options, source });
  const stop = () => screen.end(exitCodes.interrupted);
  const crash = () => screen.giveBack();
  for (const signal of signals) source.on(signal, stop);
  source.on('uncaughtExceptionMonitor', crash);
  try {
    screen.begin(input, output);
    return await screen.ended;
  } finally {
    try {
      await screen.close();
    } finally {
      for (const signal of signals) source.off(signal, stop);
      source.off('uncaughtExceptionMonitor', crash);
    }
  }
}

/** The one place where the model, the terminal and the host meet: whatever one of them says is taken by the model, whose wishes are carried out. */
class Screen {
  readonly #context: Pick<CommandContext, 'clock' | 'random'>;
  readonly #door: HostDoor;
  readonly #source: ExitSource;
  readonly #chat: ChatModel;
  readonly #painter: Painter;
  readonly #ending = Promise.withResolvers<ChatEnd>();
  #terminal: ReturnType<typeof takeTerminal> | null = null;
  #link: SessionLink;
  #errands: Errands;
  #drawing: Timer | undefined;
  #ticking: Timer | undefined;
  #isOver = false;

  constructor(
    context: Pick<CommandContext, 'clock' | 'random' | 'env'>,
    options: { readonly door: HostDoor; readonly session: string; readonly source: ExitSource },
  ) {
    const { env } = context;
    this.#context = context;
    this.#door = options.door;
    this.#source = options.source;
    const marks = speaksUtf8(env) ? unicodeMarks : asciiMarks;
    this.#chat = new ChatModel({ columns: 80, rows: 24, marks });
    this.#painter = new Painter({ withColours: (env['NO_COLOR'] ?? '') === '' });
    [this.#link, this.#errands] = this.#open(options.session);
  }

  get ended(): Promise<ChatEnd> {
    return this.#ending.promise;
  }

  begin(input: ReadStream, output: WriteStream): void {
    const terminal = takeTerminal({
      ...{ input, output, clock: this.#context.clock, exit: this.#source },
      lastWords: () => this.#painter.leave(this.#chat.columns),
      listener: {
        key: (key) => {
          this.#take({ kind: 'key', key });
          this.#draw();
        },
        resized: () => {
          this.#resize();
          this.#draw();
        },
        gone: () => this.end(exitCodes.interrupted),
      },
    });
    this.#terminal = terminal;
    this.#resize();
    this.#draw();
  }

  end(exit: number): void {
    this.#isOver = true;
    const { outgoing } = this.#chat;
    const unsent = outgoing.filter(({ entry }) => entry === null).length;
    this.#ending.resolve({ exit, session: this.#link.session, unsent });
  }

  giveBack(): void {
    this.#isOver = true;
    this.#terminal?.[Symbol.dispose]();
  }

  async close(): Promise<void> {
    // What was told last still scrolls away.
    if (this.#terminal !== null && !this.#isOver) this.#draw();
    this.#drawing?.cancel();
    this.#ticking?.cancel();
    this.#errands.close();
    try {
      this.giveBack();
    } finally {
      await this.#link.close();
    }
  }

  #open(session: string): [SessionLink, Errands] {
    const { clock, random } = this.#context;
    // What belongs to a session that was left is not heard any more.
    const hear = (event: ChatEvent) => {
      if (this.#link === link) this.#hear(event);
    };
    const link: SessionLink = new SessionLink({
      door: this.#door,
      clock,
      session,
      hear: (event) => hear(event),
    });
    const outcome = {
      hear,
      open: (other: string) => this.#switchTo(other),
      leave: () => this.end(exitCodes.done),
    };
    return [link, new Errands({ door: this.#door, random, outcome })];
  }

  #switchTo(session: string): void {
    this.#errands.close();
    void this.#link.close();
    [this.#link, this.#errands] = this.#open(session);
  }

  #resize(): void {
    const { columns = 80, rows = 24 } = this.#terminal ?? {};
    this.#take({ kind: 'resized', columns, rows });
  }

  #hear(event: ChatEvent): void {
    this.#take(event);
    this.#drawing ??= this.#context.clock.setTimer(chatLimits.drawMs, () => this.#draw());
  }

  #take(event: ChatEvent): void {
    if (this.#isOver) return;
    for (const wish of this.#chat.take(event, this.#context.clock.monotonicMs())) this.#carryOut(wish);
  }

  #carryOut(wish: ChatWish): void {
    if (wish.do === 'clear') this.#terminal?.write(this.#painter.forget());
    else void this.#errands.run(wish, this.#link);
  }

  #draw(): void {
    this.#drawing?.cancel();
    this.#drawing = undefined;
    const terminal = this.#terminal;
    if (terminal === null || this.#isOver) return;
    const frame = frameOf(this.#chat, this.#context.clock.monotonicMs());
    // While somebody reads back, what is told waits.
    const done = frame.isWhole ? [] : doneRows(this.#chat);
    terminal.write(this.#painter.paint(done, frame, this.#chat.columns));
    this.#ticking?.cancel();
    this.#ticking = this.#chat.isBusy
      ? this.#context.clock.setTimer(chatLimits.tickMs, () => {
          this.#take({ kind: 'tick' });
          this.#draw();
        })
      : undefined;
  }
}

/** What locales say; one that says nothing is taken for a modern one. */
function speaksUtf8(env: CommandContext['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale);
}
