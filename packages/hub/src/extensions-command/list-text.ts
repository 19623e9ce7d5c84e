import type { ExtensionRef } from '@fairlead/extension/runtime';
import type { HostedAgent } from '../agent-state/agent-directory.ts';
import type { ExtensionRow, ExtensionRows } from './extension-rows.ts';
import { shortLine } from './short-line.ts';

/** The list as people read it: a legend, then a line for each extension, its state as a mark and as a word. */
export function listText({ rows, more }: ExtensionRows, agent: HostedAgent | undefined): string {
  if (rows.length === 0) return 'No extension is installed, and this session names none.';
  const whose = agent === undefined ? 'in this session' : `for ${shortLine(agent.name)} in this session`;
  const width = Math.max(...rows.map(({ state }) => state.length));
  return [
    `Extensions ${whose}: ✓ on, ✗ off, ⚠ needs a look`,
    ...rows.map((row) => `${markOf(row)} ${row.state.padEnd(width)}  ${lineOf(row)}`),
    ...(more === 0 ? [] : [`⚠ and ${more} more that are on and not installed here`]),
  ].join('\n');
}

function markOf({ state, troubles }: ExtensionRow): string {
  if (state === 'missing' || troubles.length > 0) return '⚠';
  return state === 'on' ? '✓' : '✗';
}

function lineOf(row: ExtensionRow): string {
  const { name, state, ref, kinds, scopes, troubles } = row;
  if (state === 'missing') return `${name} — not installed here: ${refText(ref)}${scopeText(row)}`;
  const what = kinds.length === 0 ? '—' : kinds.join(', ');
  const where = scopes.length === 0 ? '' : ` · ${scopes.join(', ')}`;
  const [trouble] = troubles;
  const more = troubles.length > 1 ? ` (and ${troubles.length - 1} more)` : '';
  const why = trouble === undefined ? '' : ` ⚠ ${troubleText(trouble)}${more}`;
  return `${name} ${shortLine(row.version)} — ${what}${where}${scopeText(row)}${why}`;
}

/** Who switched it off, where session and agent do not say the same, or both say off. */
function scopeText({ session, agent }: ExtensionRow): string {
  if (session && agent !== false) return '';
  const ofSession = `session: ${session ? 'on' : 'off'}`;
  return agent === null ? ` (${ofSession})` : ` (${ofSession}, agent: ${agent ? 'on' : 'off'})`;
}

function troubleText({ code, reason }: { readonly code: string; readonly reason: string }): string {
  return shortLine(code === 'capability_missing' ? reason : `${code}: ${reason}`);
}

/** A ref for people: its kind, then what says which one it is. */
function refText(ref: ExtensionRef): string {
  const members = Object.entries(ref).filter(([member]) => member !== 'kind' && member !== 'name');
  const shown = members.map(
    ([member, value]) => `${member} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return shortLine([ref.kind, ...shown].join(' '));
}
