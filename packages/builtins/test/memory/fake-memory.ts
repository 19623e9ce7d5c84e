import { ExtensionError, type Json } from '@fairlead/extension';
import type { MemoryPeer, MemoryPlace, PeerRecalledMemory } from '../../src/peer/memory-peer.ts';

type Kept = Omit<PeerRecalledMemory, 'score' | 'bank'>;

const UNKNOWN = () => new ExtensionError('bank_unknown', 'There is no such bank here for this agent.');

/** Memories in this process; `find` is by a word of the query that stands in the value. Agents are granted banks as a host does it. */
export function fakeMemory(asked: unknown[][]): MemoryPeer {
  const kept = new Map<string, Map<string, Kept>>();
  const banks = new Map<string, { name: string; removed: boolean; grants: Map<string, 'read' | 'write'> }>();
  const settings = new Map<string, Record<string, Json>>();
  const bankOf = (nameOrId: string) => {
    const found = [...banks].find(
      ([id, bank]) => !bank.removed && (id === nameOrId || bank.name === nameOrId),
    );
    if (found === undefined) throw UNKNOWN();
    return { id: found[0], ...found[1] };
  };
  const shown = ({ id, name }: { readonly id: string; readonly name: string }) => ({
    id,
    name,
    role: 'admin',
  });
  const placeOf = ({ agent, bank, person }: MemoryPlace, want: 'read' | 'write') => {
    const found = bank === undefined ? undefined : bankOf(bank);
    const right = found?.grants.get(agent);
    if (found !== undefined && person === undefined && right === undefined) throw UNKNOWN();
    if (found !== undefined && person === undefined && want === 'write' && right === 'read')
      throw new ExtensionError('bank_read_only', 'The bank is granted for reading; nothing was written.');
    const id = found?.id ?? agent;
    const memories = kept.get(id) ?? new Map<string, Kept>();
    kept.set(id, memories);
    return { memories, name: found?.name };
  };
  const found = (place: MemoryPlace, words: readonly string[], limit: number) => {
    const { memories, name } = placeOf(place, 'read');
    return [...memories.values()]
      .filter(({ value }) => words.length === 0 || words.some((word) => value.includes(word)))
      .slice(0, limit)
      .map((memory) => ({ ...memory, score: 1, ...(name === undefined ? {} : { bank: name }) }));
  };
  return {
    async remember(place, { key, value, tags = [] }) {
      asked.push(['memory.remember', place, key]);
      placeOf(place, 'write').memories.set(key, { key, value, tags, at: 1_767_225_600_000 });
    },
    async recall(place, { query, tags = [], limit = 10 }) {
      asked.push(['memory.recall', place, query, tags, limit]);
      const words = query.split(/\s+/).filter((word) => word !== '');
      return { memories: found(place, words, limit), by: words.length === 0 ? 'time' : 'words' };
    },
    async onTopic(agent, topic) {
      asked.push(['memory.onTopic', agent, topic]);
      const words = topic.recent.flatMap((text) => text.split(/\W+/)).filter((word) => word.length > 3);
      if (words.length === 0) return [];
      const granted = [...banks]
        .filter(([, bank]) => bank.grants.has(agent))
        .map(([id]) => ({ agent, bank: id }));
      return [{ agent }, ...granted]
        .flatMap((place) => found(place, words, topic.limit))
        .slice(0, topic.limit);
    },
    async forget(place, key) {
      if (!placeOf(place, 'write').memories.delete(key))
        throw new ExtensionError('memory_unknown', 'Nothing is remembered under this key.');
    },
    standing: async () => ({ waiting: 0 }),
    banks: async (agent) =>
      [...banks].flatMap(([id, { name, grants }]) => {
        const right = grants.get(agent);
        return right === undefined ? [] : [{ ...shown({ id, name }), right }];
      }),
    allBanks: async () =>
      [...banks]
        .filter(([, { removed }]) => !removed)
        .map(([id, { name, grants }]) => ({
          ...shown({ id, name }),
          grants: [...grants].map(([agent, right]) => ({ agent, right })),
        })),
    findBank: async (nameOrId) => shown(bankOf(nameOrId)),
    async createBank(_person, name) {
      const id = `mem_${banks.size + 1}`;
      banks.set(id, { name, removed: false, grants: new Map() });
      return shown({ id, name });
    },
    async removeBank(_person, nameOrId) {
      const bank = bankOf(nameOrId);
      const known = banks.get(bank.id);
      if (known !== undefined) known.removed = true;
      return shown(bank);
    },
    async restoreBank(_person, id) {
      const known = banks.get(id);
      if (known === undefined) throw UNKNOWN();
      known.removed = false;
      return shown({ id, name: known.name });
    },
    async grant(_person, nameOrId, agent, right) {
      const bank = bankOf(nameOrId);
      bank.grants.set(agent, right);
      return shown(bank);
    },
    async revoke(_person, nameOrId, agent) {
      const bank = bankOf(nameOrId);
      bank.grants.delete(agent);
      return shown(bank);
    },
    async exportTo(session, place, path) {
      asked.push(['memory.exportTo', session, place, path]);
      return placeOf(place, 'read').memories.size;
    },
    async importFrom(session, place, path) {
      asked.push(['memory.importFrom', session, place, path]);
      return { written: 1, known: 2 };
    },
    settings: async (agent) => settings.get(agent) ?? {},
    async setSetting(agent, key, value) {
      const { [key]: _, ...rest } = settings.get(agent) ?? {};
      settings.set(agent, value === null ? rest : { ...rest, [key]: value });
    },
  };
}
