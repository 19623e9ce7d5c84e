import type { ProviderRow } from '@fairlead/protocol';
import { safeLine } from './plugin-output.ts';

/** What a person needs once everything is up. */
export type ReadyReport = {
  readonly url: string;
  readonly tokenFile: string;
  readonly scopes: readonly string[];
  readonly runner: string | null;
  readonly providers: readonly ProviderRow[];
  /** How the command is typed here: `./fairlead` in a clone. */
  readonly command: string;
};

/** The tool that the copy-ready lines use: the first example that is ready, else words to fill in. */
const exampleCalls: Readonly<Record<string, { readonly tool: string; readonly arguments: string }>> = {
  'sdk-echo': { tool: 'echo', arguments: '{"text":"hello"}' },
  'raw-node': { tool: 'add', arguments: '{"a":2,"b":5}' },
  'repo-info': { tool: 'git_summary', arguments: '{}' },
};

/** At most 20 lines: where, with what right, and three commands to copy. */
export function readyText(report: ReadyReport): string {
  const { url, tokenFile, scopes, runner, providers, command } = report;
  const half = Math.ceil(scopes.length / 2);
  const lines = [
    `Fairlead is ready at ${url}`,
    `  operator token  ${tokenFile}`,
    `  its scopes      ${scopes.slice(0, half).join(' ')}`,
    `                  ${scopes.slice(half).join(' ')}`,
  ];
  if (runner !== null) lines.push(...runnerLines(runner, providers, command));
  else lines.push(`  no Runner yet   make its token: ${command} token create --runner NAME`);
  lines.push('', 'Ctrl-C stops everything.');
  return `${lines.join('\n')}\n`;
}

function runnerLines(runner: string, providers: readonly ProviderRow[], command: string): string[] {
  const ready = providers.find((row) => row.status === 'ready' && exampleCalls[row.id] !== undefined);
  const example = ready === undefined ? undefined : exampleCalls[ready.id];
  const plugin = ready?.id ?? 'PLUGIN';
  const target = `--runner ${runner} --plugin ${plugin} --tool ${example?.tool ?? 'TOOL'}`;
  return [
    `  Runner ${runner.padEnd(9)}${summary(providers)}`,
    '',
    'Try it:',
    `  ${command} plugin list --runner ${runner}`,
    `  ${command} plugin describe ${target}`,
    `  ${command} plugin call ${target} --arguments '${example?.arguments ?? '{}'}'`,
  ];
}

/** `sdk-echo ready, other failed (plugin_eof)`; at most eight providers, so one line. */
function summary(providers: readonly ProviderRow[]): string {
  if (providers.length === 0) return 'no plugin is configured';
  return providers
    .map((row) => `${row.id} ${row.status}${row.error_code === null ? '' : ` (${safeLine(row.error_code)})`}`)
    .join(', ');
}
