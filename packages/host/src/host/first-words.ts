import { sha256Base64url } from '@fairlead/base';
import type { Store } from '@fairlead/store';

const READ = "SELECT value FROM host_state WHERE name = 'said'";
const SAY = `INSERT INTO host_state (name, value) VALUES ('said', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Words that an operator is told once, and again when they have changed; none where they were told before. */
export async function saidOnce(store: Store, words: readonly string[]): Promise<readonly string[]> {
  const digest = sha256Base64url(words.join('\n'));
  const [row] = await store.read<{ value: string }>(READ);
  if (row?.value === digest) return [];
  await store.write([{ sql: SAY, parameters: [digest] }]);
  return words;
}
