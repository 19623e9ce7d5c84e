import { isJsonObject, type Json, type JsonObject, type Random } from '@fairlead/base';
import { hostRefusal } from '../../client/host-refusal.ts';
import { hostStanding } from '../../client/host-standing.ts';
import { chatLimits } from '../../limits.ts';
import { word } from '../model/block.ts';
import type { ChatEvent, ChatWish } from '../model/chat-events.ts';
import { questionsOf } from '../model/question-of.ts';
import { sessionShown } from '../model/session-shown.ts';
import { faultOf } from './fault-of.ts';
import type { HostDoor } from './host-door.ts';
import { Outbox } from './outbox.ts';
import { readNames } from './read-names.ts';
import { pageOf, type SessionLink } from './session-link.ts';

/** What an errand may change of the chat itself. */
export type ErrandOutcome = {
  readonly hear: (event: ChatEvent) => void;
  /** Goes on in another session. */
  readonly open: (session: string) => void;
  readonly leave: () => void;
};

/** Does what a chat wants of the host, and tells it what came of it. Never rejects. */
export class Errands {
  readonly #door: HostDoor;
  readonly #outbox: Outbox;
  readonly #outcome: ErrandOutcome;
  /** Questions that are asked again when their answer has come: something changed meanwhile. */
  readonly #asking = new Map<string, boolean>();

  constructor(options: {
    readonly door: HostDoor;
    readonly random: Random;
    readonly outcome: ErrandOutcome;
  }) {
    this.#door = options.door;
    this.#outbox = new Outbox(options);
    this.#outcome = options.outcome;
  }

  /** Nothing is sent any more. */
  close(): void {
    this.#outbox.close();
  }

  /** Does one thing; `link` is the session that it is about. */
  async run(wish: ChatWish, link: SessionLink): Promise<void> {
    const { session } = link;
    const path = `/api/sessions/${session}`;
    switch (wish.do) {
      case 'post':
        return await this.#post(wish.message, wish.text, link);
      case 'command':
        return await this.#command(wish.line, path);
      case 'cancel':
        return await this.#cancel(path);
      case 'paused':
        return await this.#once('paused', async () => {
          const { isPaused } = await hostStanding((request) => this.#door.ask(request));
          this.#outcome.hear({
            kind: 'paused',
            fault: isPaused ? await faultOf(await hostRefusal('host_paused')) : null,
          });
        });
      case 'decide':
        return await this.#decide(wish.approval, wish.decision, link);
      case 'questions':
        return await this.#once('questions', async () => {
          const answer = await this.#line(path, '/approvals');
          this.#outcome.hear({ kind: 'questions', questions: questionsOf(answer['data']) });
        });
      case 'session':
        return await this.#once('session', async () => {
          const view = await this.#door.ask({ method: 'GET', path });
          this.#outcome.hear({ kind: 'session', session: sessionShown(isJsonObject(view) ? view : {}) });
        });
      case 'names':
        return await this.#once('names', async () => {
          this.#outcome.hear({ kind: 'names', names: await readNames(this.#door, session) });
        });
      case 'older':
        return await this.#try(null, async () => {
          const query = `before=${encodeURIComponent(wish.before)}`;
          const page = await this.#door.ask({ method: 'GET', path: `${path}/entries?${query}` });
          this.#outcome.hear({ kind: 'older', ...pageOf(isJsonObject(page) ? page : {}) });
        });
      case 'leave':
        return this.#outcome.leave();
      case 'clear':
        return;
    }
  }

  async #post(message: number, text: string, link: SessionLink): Promise<void> {
    const posted = await this.#outbox.post(link.session, text, () => link.untilLive());
    if (posted.kind === 'posted') this.#outcome.hear({ ...posted, message });
    else if (posted.kind === 'refused')
      this.#outcome.hear({ kind: 'unposted', message, fault: await faultOf(posted.error) });
  }

  async #line(path: string, line: string): Promise<JsonObject> {
    const answer: Json = await this.#door.ask({
      ...{ method: 'POST', path: `${path}/command`, body: { line } },
      timeoutMs: chatLimits.commandMs,
    });
    return isJsonObject(answer) ? answer : {};
  }

  async #command(line: string, path: string): Promise<void> {
    await this.#try(line, async () => {
      const { text, open, quit } = await this.#line(path, line);
      if (quit === true) return this.#outcome.leave();
      this.#outcome.hear({ kind: 'answered', line, text: word(text) });
      if (typeof open === 'string' && !path.endsWith(open)) this.#outcome.open(open);
    });
  }

  async #cancel(path: string): Promise<void> {
    let wasRunning = false;
    await this.#try(null, async () => {
      const answer = await this.#door.ask({ method: 'POST', path: `${path}/cancel`, body: {} });
      wasRunning = isJsonObject(answer) && answer['cancelled'] === true;
    });
    this.#outcome.hear({ kind: 'cancelled', wasRunning });
  }

  async #decide(approval: string, decision: string, link: SessionLink): Promise<void> {
    await this.#try(null, async () => {
      const path = `/api/approvals/${encodeURIComponent(approval)}`;
      await this.#door.ask({ method: 'POST', path, body: { decision } });
      await this.run({ do: 'questions' }, link);
    });
  }

  async #try(line: string | null, step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#outcome.hear({ kind: 'failed', line, fault: await faultOf(error) });
    }
  }

  /** What only shows how things are is asked one at a time; a host that does not answer is told of by the link. */
  async #once(what: string, step: () => Promise<void>): Promise<void> {
    if (this.#asking.has(what)) {
      this.#asking.set(what, true);
      return;
    }
    do {
      this.#asking.set(what, false);
      await step().catch(() => {});
    } while (this.#asking.get(what) === true);
    this.#asking.delete(what);
  }
}
