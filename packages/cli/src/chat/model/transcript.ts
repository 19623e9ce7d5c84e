import { isJsonObject, type JsonObject } from '@fairlead/base';
import { chatLimits } from '../../limits.ts';
import { type Block, type CallTold, entryBlock, jsonWords, word } from './block.ts';
import { LiveTurns } from './live-turns.ts';

/** What happened in a session, as far as it was read, and how much of it was printed. */
export class Transcript {
  #blocks: Block[] = [];
  #printed = 0;
  readonly #seen = new Set<string>();
  readonly #live: LiveTurns;

  constructor(live: LiveTurns) {
    this.#live = live;
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** Adds something that is told. */
  add(block: Block): void {
    this.#blocks.push(block);
    const over = this.#blocks.length - chatLimits.blocks;
    if (over <= 0) return;
    // What was not printed yet stays.
    const dropped = Math.min(over, this.#printed);
    this.#blocks.splice(0, dropped);
    this.#printed -= dropped;
  }

  /** An entry; false where it is known. */
  hear(entry: JsonObject, nowMs: number): boolean {
    const id = word(entry['id']);
    if (id === '' || this.#seen.has(id)) return false;
    this.#seen.add(id);
    const block = blockOf(entry, this.#live, nowMs);
    if (block !== null) this.add(block);
    return true;
  }

  has(id: string): boolean {
    return this.#seen.has(id);
  }

  /** Entries before all that are here, oldest first. Returns how many blocks they are. */
  before(entries: readonly JsonObject[], nowMs: number): number {
    // What ran then is over, and what runs now is nothing of it.
    const live = new LiveTurns();
    const earlier = entries.flatMap((entry) => {
      const id = word(entry['id']);
      if (id === '' || this.#seen.has(id)) return [];
      this.#seen.add(id);
      const block = blockOf(entry, live, nowMs);
      return block === null ? [] : [block];
    });
    this.#blocks = [...earlier, ...this.#blocks];
    this.#printed += earlier.length;
    return earlier.length;
  }

  /** Only the newest blocks are printed; the others can be read back. */
  skipTo(newest: number): number {
    this.#printed = Math.max(this.#printed, this.#blocks.length - newest);
    return this.#printed;
  }

  /** Adds what stands before everything that is printed next. */
  putFirst(block: Block): void {
    this.#blocks.splice(this.#printed, 0, block);
  }

  /** What is to be printed, each with the block before it. */
  take(): readonly (readonly [before: Block | undefined, block: Block])[] {
    const taken = this.#blocks
      .slice(this.#printed)
      .map((block, index) => [this.#blocks[this.#printed + index - 1], block] as const);
    this.#printed = this.#blocks.length;
    return taken;
  }
}

function blockOf(entry: JsonObject, live: LiveTurns, nowMs: number): Block | null {
  const turn = word(entry['turn']);
  switch (entry['type']) {
    case 'tool_call':
      live.begin(word(entry['call']), {
        tool: word(entry['tool']),
        extension: word(entry['extension']),
        arguments: jsonWords(entry['arguments']),
        sinceMs: nowMs,
        progress: null,
      });
      return null;
    case 'tool_result':
      return { kind: 'call', call: callTold(entry, live) };
    case 'turn_end':
      live.over(turn);
      break;
    case 'message':
      if (turn !== '') live.told(turn);
      break;
    default:
  }
  return entryBlock(entry, isPerson);
}

function callTold(entry: JsonObject, live: LiveTurns): CallTold {
  const begun = live.end(word(entry['call']));
  const { code, ms } = entry;
  return {
    tool: begun?.tool ?? 'a call',
    extension: begun?.extension ?? '',
    arguments: begun?.arguments ?? '',
    certainty: word(entry['certainty']),
    code: word(code) === '' ? null : word(code),
    tookMs: typeof ms === 'number' ? ms : null,
    text: word(entry['text']),
  };
}

function isPerson({ from }: JsonObject): boolean {
  return isJsonObject(from ?? null) && (from as JsonObject)['kind'] === 'person';
}
