/**
 * How far a candidate came, in the order in which it is prepared (docs/reference/native-plugin-protocol.md §10).
 * `ready` means that nothing failed.
 */
export const checkPhases = Object.freeze([
  'config',
  'environment',
  'executable',
  'spawn',
  'stdio',
  'initialize',
  'tools_list',
  'validation',
  'ready',
] as const);

/** One of the phases of a check. */
export type CheckPhase = (typeof checkPhases)[number];
