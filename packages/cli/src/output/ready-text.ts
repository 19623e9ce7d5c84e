import type { ProviderRow, ProviderStatus } from '@fairlead/protocol';
import { outputLimits } from '../limits.ts';
import { type CommandHint, shellWord } from './command-hint.ts';
import { safeLine } from './safe-text.ts';

/** What a person needs once everything is up. */
export type ReadyReport = CommandHint & {
  readonly url: string;
  readonly tokenFile: string;
  readonly scopes: readonly string[];
  /** Null for `serve`. */
  readonly runner: string | null;
  readonly providers: readonly ProviderRow[];
  /** Those that the operator named; `code` says why one does not run. */
  readonly extensions: readonly { readonly name: string; readonly code: string | null }[];
  /** Who answers, and with which model where an agent names none; null: there is no model. */
  readonly agents: { readonly names: readonly string[]; readonly model: string | null };
};

/** The tools that the copy-ready lines use: the first example that is ready, else words to fill in. */
const exampleCalls: Readonly<Record<string, { readonly tool: string; readonly arguments: string }>> = {
  'sdk-echo': { tool: 'echo', arguments: '{"text":"hello"}' },
  'raw-node': { tool: 'add', arguments: '{"a":2,"b":5}' },
  'repo-info': { tool: 'git_summary', arguments: '{}' },
};

/** At most 20 lines: where, with what right, what is ready and what is not, and commands to copy. */
export function readyText(report: ReadyReport): string {
  const { url, tokenFile, scopes, runner } = report;
  const lines = [
    `Fairlead is ready at ${url}`,
    ...field('operator token', [tokenFile], ''),
    ...field('its scopes', scopes, ' '),
    ...agentLines(report),
    ...extensionLines(report),
    ...(runner === null ? serveLines(report) : runnerLines(report, runner)),
    '',
    'Ctrl-C stops everything.',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function serveLines({ url, command, stateFlag }: ReadyReport): string[] {
  return [
    '',
    'No Runner yet. Make its token, then start it on its machine:',
    `  ${command} token create${stateFlag} --runner NAME`,
    `  fairlead runner run --server-url ${url} --token-file FILE --config runner.toml`,
  ];
}

function runnerLines(report: ReadyReport, runner: string): string[] {
  const { providers, command, stateFlag } = report;
  const example = providers.find((row) => row.status === 'ready' && exampleCalls[row.id] !== undefined)?.id;
  const call = exampleCalls[example ?? ''] ?? { tool: 'TOOL', arguments: '{}' };
  const ready = providers.find((row) => row.status === 'ready')?.id;
  const onRunner = `--runner ${shellWord(runner)}`;
  const target = `${onRunner} --plugin ${example ?? ready ?? 'PLUGIN'} --tool ${call.tool}`;
  return [
    ...field('Runner', [providers.length === 0 ? `${runner}, without a plugin yet` : runner], ''),
    ...providerLines(report),
    '',
    'Try it:',
    `  ${command} plugin list${stateFlag} ${onRunner}`,
    `  ${command} plugin describe${stateFlag} ${target}`,
    `  ${command} plugin call${stateFlag} ${target} --arguments '${call.arguments}'`,
  ];
}

function agentLines({ agents: { names, model }, command, stateFlag }: ReadyReport): string[] {
  const words =
    model === null
      ? `no model yet: ${command} model add${stateFlag}, or a demo: ${command} chat --demo`
      : `${[...names.map(safeLine), `with ${safeLine(model)}`].join(', ')}; talk to them: ${command} chat${stateFlag}`;
  // On one line, whatever its length: there are 20 of them.
  return field('agents', [words], '');
}

function extensionLines({ extensions, command, stateFlag }: ReadyReport): string[] {
  const of = (words: ReadonlySet<string | null>) => extensions.filter(({ code }) => words.has(code));
  const running = of(RUNNING).map(({ name, code }) =>
    code === null ? safeLine(name) : `${safeLine(name)} (${safeLine(code)})`,
  );
  const starting = of(STARTING).map(({ name }) => safeLine(name));
  const failed = extensions.flatMap(({ name, code }) =>
    RUNNING.has(code) || STARTING.has(code) ? [] : [`${safeLine(name)} (${safeLine(code)})`],
  );
  return [
    ...field('extensions', running, ', '),
    ...field('still starting', starting, ', '),
    ...field('not running', failed, ', '),
    ...(failed.length === 0 ? [] : field('', [`see why: ${command} ext list${stateFlag}`], '')),
  ];
}

/** Of an MCP server that runs, though not all of it can be had; and of one that has not answered yet. */
const RUNNING: ReadonlySet<string | null> = new Set([null, 'mcp_approval_pending', 'mcp_tools_refused']);
const STARTING: ReadonlySet<string | null> = new Set(['mcp_starting', 'mcp_start_late']);

function providerLines({ providers, command, stateFlag }: ReadyReport): string[] {
  const named = (status: ProviderStatus) =>
    providers
      .filter((row) => row.status === status)
      .map((row) => (row.error_code === null ? row.id : `${row.id} (${safeLine(row.error_code)})`));
  const firstFailed = providers.find((row) => row.status === 'failed')?.id;
  return [
    ...field('ready', named('ready'), ', '),
    ...field('still starting', named('starting'), ', '),
    ...field('failed', named('failed'), ', '),
    ...(firstFailed === undefined
      ? []
      : field('', [`see why: ${command} runner stderr${stateFlag} ${firstFailed}`], '')),
  ];
}

const labelWidth = 18;

/** A label and its words, on two lines at most; nothing where there is no word. */
function field(label: string, words: readonly string[], separator: string): string[] {
  if (words.length === 0) return [];
  const lines = [''];
  words.forEach((word, index) => {
    const text = index === words.length - 1 ? word : `${word}${separator}`;
    const last = lines[lines.length - 1] ?? '';
    const isFull = last !== '' && labelWidth + last.length + text.trimEnd().length > outputLimits.textColumns;
    if (isFull && lines.length === 1) lines.push(text);
    else lines[lines.length - 1] = last + text;
  });
  return lines.map(
    (line, index) => `${(index === 0 ? `  ${label}` : '').padEnd(labelWidth)}${line.trimEnd()}`,
  );
}
