import type { JsonObject } from '@fairlead/base';
import type { Envelope } from './outcome.ts';

/** What of a result of `plugin_tool` is looked at. */
export type McpResult = {
  readonly isError?: boolean;
  readonly structuredContent?: JsonObject & {
    readonly error?: { readonly code: string };
    readonly dispatchState?: string;
  };
  readonly _meta?: { readonly dispatchState?: string };
};

/** The same as an answer over HTTP. */
export function envelopeOf({ isError, structuredContent, _meta }: McpResult): Envelope {
  const certainty = _meta?.dispatchState ?? structuredContent?.dispatchState ?? 'not told';
  return {
    success: isError !== true,
    output: structuredContent ?? null,
    error: structuredContent?.error ?? null,
    dispatch_certainty: certainty,
  };
}
