import type { JsonObject } from '@fairlead/base';

/** What MCP clients are told of a tool that only reads, from what this gateway knows. */
export const READS_ONLY: JsonObject = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
});

/** What they are told of one that may reach anything that may be started or called. */
export const MAY_DO_ANYTHING: JsonObject = Object.freeze({
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
});
