import type { CatalogRow } from '@fairlead/hub';
import { type McpErrorCode, mcpErrors } from '../errors.ts';
import type { Connection } from './connection.ts';
import { foreignText } from './foreign-text.ts';

/** Where a server is in its life. */
export type ServerState =
  /** It has not answered yet, for the first time or again. `isLate`: for longer than its startup timeout. */
  | { readonly kind: 'starting'; readonly isLate: boolean; readonly because?: string }
  | { readonly kind: 'running'; readonly connection: Connection }
  /** It could not be started, or ends again and again; it is tried again by itself. */
  | { readonly kind: 'failed'; readonly code: McpErrorCode; readonly reason: string };

/** What people are shown where not all of a server can be had. */
export interface ServerNotice {
  readonly code: McpErrorCode;
  readonly reason: string;
}

/** Names in one line. */
const NAMED = 5;

/** Undefined where all of it can be had. */
export function noticeOf(
  state: ServerState,
  rows: readonly CatalogRow[],
  refused: readonly string[],
  extension: string,
): ServerNotice | undefined {
  if (state.kind === 'failed') return { code: state.code, reason: state.reason };
  if (state.kind === 'starting') {
    const code = state.isLate ? 'mcp_start_late' : 'mcp_starting';
    const because = state.because === undefined ? '' : ` (${state.because})`;
    return { code, reason: `${mcpErrors[code].message.split(';')[0]}${because}` };
  }
  const moved = (['changed', 'new', 'gone'] as const).flatMap((which) => {
    const tools = rows.filter((row) => row.state === which).map(({ tool }) => tool || 'its instructions');
    return tools.length === 0 ? [] : [`${which}: ${listed(tools)}`];
  });
  if (moved.length > 0)
    return {
      code: 'mcp_approval_pending',
      reason: `${moved.join('; ')}; see fairlead ext diff ${extension}`,
    };
  if (refused.length === 0) return undefined;
  return { code: 'mcp_tools_refused', reason: listed(refused) };
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, NAMED).map((word) => foreignText(word).slice(0, 160));
  const more = words.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
