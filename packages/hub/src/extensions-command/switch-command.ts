import { nearestKey } from '@fairlead/base';
import type { Manifest } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { type Activation, readActive, readOptOuts } from '../activation/active-set.ts';
import { activate, deactivate } from '../activation/switch.ts';
import type { HostedAgent } from '../agent-state/agent-directory.ts';
import { hubError } from '../errors.ts';
import type { CommandAnswer, CommandPlace } from './command-answer.ts';
import type { ExtensionsPorts } from './ports.ts';
import { shortLine } from './short-line.ts';

/** Whose log is switched. */
export type Target = 'session' | 'agent';

/** `add` and `remove`: switches an extension in the session's log, or in the log of the agent that answers there. */
export async function switchExtension(
  ports: ExtensionsPorts,
  place: CommandPlace,
  what: { readonly name: string; readonly on: boolean; readonly target: Target },
): Promise<CommandAnswer> {
  const { name, on, target } = what;
  const known = [...ports.installed(), ...ports.failed()];
  const active = await readActive(place.session, { names: [name, ...known.map((one) => one.name)] });
  const manifest = known.find((one) => one.name === name)?.manifest;
  const activation = activationOf(ports, name, on ? new Map() : active);
  if (target === 'agent') {
    const agent = await hostedAgent(ports, place);
    const log = await ports.agents.open(agent.id);
    const off = (await readOptOuts(log, { names: [name] })).has(name);
    const who = shortLine(agent.name);
    if (on !== off)
      return said(name, target, on, false, `${name} is ${on ? 'on' : 'off'} for ${who} already.`);
    await put(ports, log, activation, on);
    const then = on
      ? agentOnText(name, who, active.has(name))
      : `${name} is off for ${who}, in every session.`;
    return said(name, target, on, true, `${then}${on ? '' : lossText(ports, name, manifest)}`);
  }
  if (active.has(name) === on)
    return said(name, target, on, false, `${name} is ${on ? 'on' : 'off'} in this session already.`);
  await put(ports, place.session, activation, on);
  const then = on ? await sessionOnText(ports, place, name) : `${name} is off in this session.`;
  return said(name, target, on, true, `${then}${on ? '' : lossText(ports, name, manifest)}`);
}

async function put(
  { clock }: ExtensionsPorts,
  log: Database,
  activation: Activation,
  on: boolean,
): Promise<void> {
  if (on) await activate(log, activation, clock);
  else await deactivate(log, activation.name, clock);
}

function said(name: string, target: Target, on: boolean, changed: boolean, text: string): CommandAnswer {
  return { text, data: { name, target, on, changed } };
}

/** What is installed, or, to switch it off, what the log names. Throws `extension_unknown` with the nearest name. */
function activationOf(
  ports: ExtensionsPorts,
  name: string,
  named: ReadonlyMap<string, Activation['ref']>,
): Activation {
  const known = [...ports.installed(), ...ports.failed()];
  const ref = known.find((one) => one.name === name)?.ref ?? named.get(name);
  if (ref !== undefined) return { name, ref };
  throw unknownExtension(name, [...known.map((one) => one.name), ...named.keys()]);
}

/** The error of a name that is not installed, with the one that was meant, where one is near. */
export function unknownExtension(name: string, known: readonly string[]) {
  const near = nearestKey(name, known);
  return hubError(
    'extension_unknown',
    `${shortLine(name)}${near === undefined ? '' : `; did you mean ${near}?`}`,
  );
}

/** The agent that answers in the session, where it is hosted here. Throws `agent_not_here`. */
export async function hostedAgent(ports: ExtensionsPorts, { agent }: CommandPlace): Promise<HostedAgent> {
  const hosted = agent === undefined ? null : await ports.agents.resolve(agent.id);
  if (hosted === null)
    throw hubError(
      'agent_not_here',
      agent === undefined ? 'none answers in this session' : shortLine(agent.name),
    );
  return hosted;
}

function agentOnText(name: string, who: string, inSession: boolean): string {
  if (inSession) return `${name} is on for ${who} again.`;
  return `${name} is not opted out for ${who} any more; it stays off in this session until \`/extensions add ${name}\`.`;
}

async function sessionOnText(ports: ExtensionsPorts, { agent }: CommandPlace, name: string): Promise<string> {
  const hosted = agent === undefined ? null : await ports.agents.resolve(agent.id);
  const off =
    hosted !== null && (await readOptOuts(await ports.agents.open(hosted.id), { names: [name] })).has(name);
  if (!off) return `${name} is on in this session.`;
  return `${name} is on in this session, and off for ${shortLine(hosted.name)} until \`/extensions add ${name} agent\`.`;
}

/** What nobody does any more once it is off: judge calls, provide caps. */
function lossText(ports: ExtensionsPorts, name: string, manifest: Manifest | undefined): string {
  if (manifest === undefined) return '';
  const lines: string[] = [];
  if (manifest.hooks.includes('tool_call')) {
    const { gates } = manifest;
    const what = gates === undefined ? 'every tool call' : `calls of ${gates.join(', ')}`;
    lines.push(`⚠ Warning: it judged ${what}; nothing of it stops such a call now.`);
  }
  const needing = ports
    .installed()
    .filter(
      (other) =>
        other.name !== name &&
        other.manifest.requires.some(
          ({ kind, provider }) => manifest.provides.includes(kind) && (provider ?? name) === name,
        ),
    )
    .map((other) => other.name);
  if (needing.length > 0) lines.push(`It provides what these need: ${needing.join(', ')}.`);
  return lines.map((line) => `\n${line}`).join('');
}
