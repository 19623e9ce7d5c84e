import { isText, linkLimits } from '@fairlead/protocol';

const PREFIX = 'agent:';
const BREAKS = /[\t\r\n]/;

/** Bytes of the longest project id: the prefix, a Runner's id with every character escaped, a colon, the Runner's own id. */
export const PROJECT_ID_MAX_BYTES = PREFIX.length + 3 * linkLimits.nameMaxBytes + 1 + linkLimits.nameMaxBytes;

/**
 * The id of a project for callers: `agent:RUNNER:PROJECT`. A Runner's id may hold a colon, so in that part `%` and `:` are
 * written `%25` and `%3A`: no two projects have the same id.
 */
export function projectIdOf(runner: string, project: string): string {
  return `${PREFIX}${runner.replaceAll('%', '%25').replaceAll(':', '%3A')}:${project}`;
}

/** True for a text that could be the id of a project. */
export function isProjectId(value: unknown): value is string {
  return isText(value, 1, PROJECT_ID_MAX_BYTES) && !BREAKS.test(value);
}
