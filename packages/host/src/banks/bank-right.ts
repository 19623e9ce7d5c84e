import type { Json } from '@fairlead/base';
import type { Role } from '@fairlead/store';

/** What an agent may do in a bank. */
export type BankRight = 'read' | 'write';

/** What was granted once and is no more: it says so to every peer that the bank comes to. */
export const NO_RIGHT = 'none';

/** The lesser of what the bank grants to the agent and what this peer may do there; undefined is nothing. */
export function rightInForce(grant: Json | undefined, role: Role | null): BankRight | undefined {
  if (role === null || (grant !== 'read' && grant !== 'write')) return undefined;
  return role === 'read' ? 'read' : grant;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export function isBankName(name: unknown): name is string {
  // The ids of banks begin so: a name never looks like one.
  return typeof name === 'string' && NAME.test(name) && !/^(?:mem|skl)_/.test(name);
}
