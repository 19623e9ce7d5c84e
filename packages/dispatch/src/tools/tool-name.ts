import type { Json } from '@fairlead/base';
import { catalogLimits, isText } from '@fairlead/protocol';

/** The schema of a member that names a tool. */
export const TOOL_NAME_SCHEMA = Object.freeze({
  type: 'string',
  minLength: 1,
  maxLength: catalogLimits.toolNameMaxBytes,
});

const BREAKS = /[\t\r\n]/;

/** True for a text on one line that a tool could be named by. */
export function isToolNameText(value: Json | undefined): value is string {
  return isText(value, 1, catalogLimits.toolNameMaxBytes) && !BREAKS.test(value as string);
}
