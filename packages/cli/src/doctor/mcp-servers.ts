import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { CommandHint } from '../output/command-hint.ts';
import { objectsIn, safeLine } from '../output/safe-text.ts';
import { type Finding, ill, well } from './finding.ts';

/** One configured MCP server, and what of it is there. */
export type SeenMcpServer = {
  readonly name: string;
  /** A program that was looked for in the PATH that it gets, or an address. */
  readonly reached:
    | { readonly kind: 'program'; readonly command: string; readonly path: string | null }
    | { readonly kind: 'address'; readonly url: string };
  /** Variables that it is to be given and that are not set in this shell. */
  readonly missing: readonly string[];
};

export type SeenMcp = {
  readonly servers: readonly SeenMcpServer[];
  /** What of imported files was left out, a sentence each. */
  readonly leftOut: readonly string[];
};

/** Waits for somebody, or comes by itself; whatever else a server has is a failure. */
const WARNED: ReadonlySet<string> = new Set([
  ...['mcp_starting', 'mcp_start_late', 'mcp_approval_pending', 'mcp_tools_refused'],
]);

/** What keeps each MCP server from being used. `listed` is what `GET /api/admin/extensions` gave; null where no host runs. */
export function checkMcpServers(seen: SeenMcp, listed: Json | null, hint: CommandHint): Finding[] {
  const rows = isJsonObject(listed) ? objectsIn(listed['extensions']) : [];
  return [
    ...seen.servers.flatMap((server) => {
      const row = rows.find(({ name }) => name === `mcp-${server.name}`);
      const state = listed === null ? 'no_host' : row === undefined ? 'unknown' : stateOf(row);
      return [stateFinding(server, state, hint), ...variableFindings(server)];
    }),
    ...seen.leftOut.map((problem) =>
      ill('warn', { check: 'mcp import', what: safeLine(problem), code: 'mcp_left_out' }),
    ),
  ];
}

type State = 'no_host' | 'unknown' | 'runs' | { readonly code: string; readonly reason: string };

function stateOf({ state, reason, failures }: JsonObject): State {
  const fault = isJsonObject(reason ?? null) ? (reason as JsonObject) : objectsIn(failures)[0];
  if (state === 'running' || fault === undefined) return 'runs';
  return { code: safeLine(fault['code']), reason: safeLine(fault['reason']) };
}

function stateFinding({ name, reached }: SeenMcpServer, state: State, hint: CommandHint): Finding {
  const check = `mcp server ${name}`;
  const { command, stateFlag } = hint;
  if (state === 'runs') return well(check, 'it runs');
  // Why it has failed, in the words that help.
  const isWaited = typeof state === 'object' && WARNED.has(state.code);
  if (reached.kind === 'program' && reached.path === null && !isWaited) {
    return ill('fail', {
      check,
      what: `${safeLine(reached.command)} is not found in the PATH that it gets`,
      code: 'mcp_start_failed',
      next: 'Install it, or name it by its full path in `command`. It gets the PATH of whoever starts the host, or that of its `env`.',
    });
  }
  if (state === 'no_host') {
    const what =
      reached.kind === 'address'
        ? `it is asked at ${safeLine(reached.url)} once a host runs`
        : `its program is ${safeLine(reached.path)}, started once a host runs`;
    return well(check, what);
  }
  if (state === 'unknown') {
    return ill('warn', {
      check,
      what: 'the host that runs does not have it',
      code: 'mcp_unavailable',
      next: `Servers are read at the start: stop the host with \`${command} stop${stateFlag}\`, and start it again.`,
    });
  }
  const { code, reason } = state;
  const next = nextOf(`mcp-${name}`, code, hint);
  const found = { check, what: reason, code };
  return ill(WARNED.has(code) ? 'warn' : 'fail', next === undefined ? found : { ...found, next });
}

/** Undefined where the code’s own next step says as much. */
function nextOf(extension: string, code: string, { command, stateFlag }: CommandHint): string | undefined {
  switch (code) {
    case 'mcp_approval_pending':
      return `See what changed: \`${command} ext diff${stateFlag} ${extension}\`. If you agree: \`${command} ext approve${stateFlag} ${extension}\`.`;
    case 'mcp_start_late':
    case 'mcp_start_failed':
    case 'mcp_protocol_failed':
      return `What it printed: \`${command} ext output${stateFlag} ${extension}\`. Start its command by hand, with the environment that \`[[mcp.servers]]\` gives it.`;
    default:
      return undefined;
  }
}

function variableFindings({ name, missing }: SeenMcpServer): Finding[] {
  return missing.map((variable) =>
    ill('warn', {
      check: `mcp server ${name}`,
      what: `${safeLine(variable)}, which it is to be given, is not set in this shell, or holds a secret of the host`,
      code: 'mcp_variable_missing',
    }),
  );
}
