/** Kinds that the host alone offers: an extension may require or request them, never provide them. */
export const HOST_ONLY_KINDS = Object.freeze([
  'session_read',
  'session_write',
  'settings',
  'tool_registration',
  'command_registration',
  'agent_state_admin',
] as const);

/** Kinds that extensions provide, beside custom ones. */
export const PROVIDABLE_KINDS = Object.freeze([
  'messenger',
  'memory',
  'prompt_augmentation',
  'context_tail',
  'status_segment',
] as const);

const CUSTOM = /^[a-zA-Z][a-zA-Z0-9_-]{0,39}(\.[a-zA-Z][a-zA-Z0-9_-]{0,39}){1,7}$/;

/** Whether only the host offers a kind. */
export function isHostOnly(kind: string): boolean {
  return (HOST_ONLY_KINDS as readonly string[]).includes(kind);
}

/** Whether extensions may provide a kind: one of the five, or two to eight names joined by dots. */
export function isProvidable(kind: string): boolean {
  return (PROVIDABLE_KINDS as readonly string[]).includes(kind) || CUSTOM.test(kind);
}
