import type { Json } from '@fairlead/base';
import { patchOf, splitWords } from '@fairlead/extension/runtime';
import type { CommandAnswer, CommandPlace } from './command-answer.ts';
import type { ExtensionsPorts, RunningExtension } from './ports.ts';
import { shortLine } from './short-line.ts';
import { unknownExtension } from './switch-command.ts';

/** `settings NAME`: what is in force, what came from the environment masked. */
export async function showSettings(
  ports: ExtensionsPorts,
  place: CommandPlace,
  name: string,
): Promise<CommandAnswer> {
  const owner = running(ports, name);
  const agent = place.agent === undefined ? null : await ports.agents.resolve(place.agent.id);
  const where = {
    session: place.session,
    ...(agent === null ? {} : { agent: await ports.agents.open(agent.id) }),
  };
  const settings = await ports.settings.shown(owner, where);
  const own = await ports.settings.own(name, place.session);
  const keys = Object.keys(own);
  const set =
    keys.length === 0
      ? 'none is set in this session'
      : `set in this session: ${keys.map(shortLine).join(', ')}`;
  return {
    text: `Settings of ${name} (${set})\n${JSON.stringify(settings, null, 2)}`,
    data: { name, settings, own },
  };
}

/** `set NAME KEY VALUE`: the value is JSON where that fits the schema, else text. */
export async function setSetting(
  ports: ExtensionsPorts,
  { session }: CommandPlace,
  { name, key, text }: { readonly name: string; readonly key: string; readonly text: string },
): Promise<CommandAnswer> {
  const owner = running(ports, name);
  const patch = { [key]: fittingValue(owner, key, text) };
  await ports.settings.save(owner, session, patch);
  const value = ports.settings.mask(patch[key] ?? null);
  return {
    text: `${name}: ${key} is ${shortLine(JSON.stringify(value))} in this session.`,
    data: { name, key, value },
  };
}

/** `unset NAME KEY`: what stands below the session's own value holds again. */
export async function unsetSetting(
  ports: ExtensionsPorts,
  { session }: CommandPlace,
  { name, key }: { readonly name: string; readonly key: string },
): Promise<CommandAnswer> {
  const owner = running(ports, name);
  const changed = Object.hasOwn(await ports.settings.own(name, session), key);
  if (changed) await ports.settings.unset(owner, session, [key]);
  const shown = shortLine(key);
  return {
    text: changed
      ? `${name}: ${shown} is not set in this session any more.`
      : `${name}: ${shown} is not set in this session.`,
    data: { name, key, changed },
  };
}

function running(ports: ExtensionsPorts, name: string): RunningExtension {
  const known = ports.installed();
  const found = known.find((one) => one.name === name);
  if (found === undefined)
    throw unknownExtension(
      name,
      known.map((one) => one.name),
    );
  return found;
}

/** The first reading of a value that its schema takes; where none does, the one whose fault says most. */
function fittingValue({ settings }: RunningExtension, key: string, text: string): Json {
  const readings = readingsOf(text);
  const fits = readings.find((value) => {
    try {
      patchOf(settings, { [key]: value });
      return true;
    } catch {
      return false;
    }
  });
  return fits ?? readings[0] ?? text;
}

/** As JSON, if it is any (to take a key away there is `unset`, so `null` is the word), then as the words of a line. */
function readingsOf(text: string): readonly Json[] {
  const split = splitWords(text);
  const words = split.ok ? split.words.map((word) => word.text).join(' ') : text;
  try {
    const value = JSON.parse(text) as Json;
    return value === null ? [words] : [value, words];
  } catch {
    return [words];
  }
}
