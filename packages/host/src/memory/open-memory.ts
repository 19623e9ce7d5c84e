import type { SessionFloor } from '../sessions/session-floor.ts';
import type { EmbedderOptions, EmbeddingFault } from './embedding/embedder.ts';
import { httpEmbedder } from './embedding/embedder.ts';
import type { EmbeddingSettings } from './embedding/read-embedding.ts';
import { HostMemory } from './host-memory.ts';

/** The memory of a host, with the embedder that `fairlead.toml` names. */
export async function openMemory(
  { peer, store, clock, agents }: SessionFloor,
  {
    settings,
    report,
    ...more
  }: Pick<EmbedderOptions, 'env' | 'fetch'> & {
    readonly settings: EmbeddingSettings | undefined;
    readonly report: (fault: EmbeddingFault) => void;
  },
): Promise<HostMemory> {
  const embedder = settings === undefined ? undefined : httpEmbedder({ settings, clock, ...more });
  return await HostMemory.open({
    ...{ peer, store, clock, agents, report },
    ...(embedder === undefined ? {} : { embedder }),
  });
}
