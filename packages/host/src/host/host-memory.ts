import { seedBanks } from '../banks/seed-banks.ts';
import { hostError } from '../errors.ts';
import type { HostMemory } from '../memory/host-memory.ts';
import { openMemory } from '../memory/open-memory.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import type { HostOptions } from './host-options.ts';

/** The memory of a host that starts, with the banks that `fairlead.toml` gives to its agents. Closed with the stack. */
export async function hostMemory(
  { tables, env, fetch, report }: HostOptions,
  floor: SessionFloor,
  stack: AsyncDisposableStack,
): Promise<HostMemory> {
  const memory = await openMemory(floor, {
    settings: tables.embedding,
    env,
    ...(fetch === undefined ? {} : { fetch }),
    report: ({ code, reason }) => {
      const { message } = hostError(code, reason);
      report({ level: 'warn', code, message });
    },
  });
  stack.defer(() => memory.close());
  const seed = { tables: tables.agents, field: 'memory_banks' } as const;
  for (const name of await seedBanks(memory.banks, floor.agents, seed)) {
    const { code, message } = hostError(
      'bank_name_invalid',
      `memory_banks of fairlead.toml: ${name.slice(0, 64)}`,
    );
    report({ level: 'warn', code, message });
  }
  return memory;
}
