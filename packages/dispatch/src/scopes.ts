/** Every right that a token can carry. None implies another. */
export const scopes = Object.freeze([
  'plugin:inspect',
  'plugin:invoke',
  'plugin:manage',
  'runner:manage',
  'project:read',
  'session:read',
  'session:write',
  'session:approve',
  'mcp:invoke',
  'admin',
] as const);

export type Scope = (typeof scopes)[number];

const known: ReadonlySet<string> = new Set(scopes);

/** True for a scope that exists, spelled exactly. */
export function isScope(value: unknown): value is Scope {
  return typeof value === 'string' && known.has(value);
}
