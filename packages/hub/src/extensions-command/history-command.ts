import { version } from '@fairlead/extension/runtime';
import { history, type PastSwitch } from '../activation/history.ts';
import type { CommandAnswer, CommandPlace } from './command-answer.ts';
import type { ExtensionsPorts } from './ports.ts';
import { shortLine } from './short-line.ts';
import { hostedAgent, type Target } from './switch-command.ts';

/** `history [NAME]`: who switched what, newest first. */
export async function showHistory(
  ports: ExtensionsPorts,
  place: CommandPlace,
  { name, target }: { readonly name: string | undefined; readonly target: Target },
): Promise<CommandAnswer> {
  const log =
    target === 'session' ? place.session : await ports.agents.open((await hostedAgent(ports, place)).id);
  const { switches, before } = await history(log, name === undefined ? {} : { name });
  const data = {
    target,
    switches: switches.map(({ kind, name: extension, atMs, peer, ...rest }) => ({
      name: extension,
      on: kind === 'activated',
      ...('ref' in rest ? { ref: rest.ref } : {}),
      atMs,
      peer,
    })),
    before,
  };
  const lines = switches.map((one) => lineOf(one, ports.peerId));
  const end = before === null ? [] : ['Older ones are left out.'];
  const text = lines.length === 0 ? 'Nothing was switched yet.' : [...lines, ...end].join('\n');
  return { text, data: JSON.parse(JSON.stringify(data)) };
}

function lineOf(one: PastSwitch, peerId: string): string {
  const who = one.peer === peerId ? 'this peer' : `peer ${one.peer.slice(0, 8)}`;
  const what =
    one.kind === 'activated' ? `on   ${one.name} ${shortLine(version(one.ref))}` : `off  ${one.name}`;
  return `${timeText(one.atMs)}  ${what}  by ${who}`;
}

/** A foreign clock may say anything; what no calendar has is shown as it is. */
function timeText(atMs: number): string {
  const date = new Date(atMs);
  return Number.isNaN(date.getTime()) ? `${atMs} ms` : date.toISOString().slice(0, 19).replace('T', ' ');
}
