import type { Embedder, EmbeddingFault } from '../../src/memory/embedding/embedder.ts';
import { HostMemory, type MemoryPlace, type RecallOptions } from '../../src/memory/host-memory.ts';
import type { HostFloor } from '../host-floor.ts';
import { type Room, room } from '../sessions/session-room.ts';

export interface MemoryRoom {
  readonly room: Room;
  readonly memory: HostMemory;
  readonly faults: readonly EmbeddingFault[];
  readonly ann: string;
  readonly bob: string;
  /** Keys of what is recalled, the best first. */
  keys(place: MemoryPlace, options: RecallOptions): Promise<readonly string[]>;
  /** Another host over the same peer, once this one is closed. */
  again(embedder?: Embedder): Promise<MemoryRoom>;
}

/** Two agents and what they remember. */
export async function memoryRoom(
  t: { after(hook: () => unknown): void },
  options: { readonly host?: HostFloor; readonly embedder?: Embedder; readonly over?: Room } = {},
): Promise<MemoryRoom> {
  const { embedder } = options;
  const over = options.over ?? (await room(t, options.host === undefined ? {} : { host: options.host }));
  const { peer, store, clock, agents } = over;
  const faults: EmbeddingFault[] = [];
  const memory = await HostMemory.open({
    ...{ peer, store, clock, agents },
    report: (fault) => faults.push(fault),
    ...(embedder === undefined ? {} : { embedder }),
  });
  t.after(() => memory.close());
  const idOf = async (name: string) =>
    (await agents.directory.resolve(name))?.id ?? (await agents.create(name)).id;
  return {
    ...{ room: over, memory, faults },
    ann: await idOf('ann'),
    bob: await idOf('bob'),
    keys: async (place, wanted) => (await memory.recall(place, wanted)).memories.map(({ key }) => key),
    again: async (next) => await memoryRoom(t, { over, ...(next === undefined ? {} : { embedder: next }) }),
  };
}

/** Words that mean the same, by what they are about. */
const CONCEPTS = [
  ['ferry', 'ship', 'boat', 'vessel'],
  ['tea', 'coffee', 'drink', 'beverage'],
  ['password', 'secret', 'credential'],
  ['deploy', 'release', 'rollout'],
];

export interface FakeEmbedder extends Embedder {
  readonly asked: string[];
  /** What it answers with in place of vectors; undefined for vectors. */
  fault: EmbeddingFault | undefined;
  /** Texts that it refuses. */
  refuses: (text: string) => boolean;
}

/** Gives texts the meaning of {@link CONCEPTS}: a vector has a number for each of them, and one for what is about none. */
export function fakeEmbedder(model = 'local/tiny'): FakeEmbedder {
  const embedder: FakeEmbedder = {
    model,
    asked: [],
    fault: undefined,
    refuses: () => false,
    async embed(texts) {
      embedder.asked.push(...texts);
      if (embedder.fault !== undefined) return { ok: false, fault: embedder.fault };
      if (texts.some(embedder.refuses))
        return { ok: false, fault: { code: 'embedding_refused', reason: 'status 400' } };
      return { ok: true, vectors: texts.map(meaningOf) };
    },
  };
  return embedder;
}

function meaningOf(text: string): readonly number[] {
  const words = text.toLowerCase().split(/[^a-z]+/);
  const meaning = CONCEPTS.map((concept) => words.filter((word) => concept.includes(word)).length);
  return [...meaning, meaning.some((count) => count > 0) ? 0 : 1];
}
