import { resolve } from 'node:path';
import { isJsonObject, type Json } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { answerTimeoutMs, outputLimits } from '../../limits.ts';
import { jsonLine, safeLine } from '../../output/safe-text.ts';
import { askHost } from '../../owner/running-host.ts';
import { EXTENSIONS_PATH } from './extensions-path.ts';

type ExtFlags = { readonly stateDir?: string; readonly json?: boolean };

/** `fairlead ext load DIR`: into the running host, until it ends. Throws what the host refuses it with. */
export async function extLoad(context: CommandContext, folder: string, flags: ExtFlags): Promise<number> {
  const path = resolve(context.cwd, folder);
  const timeoutMs = answerTimeoutMs.extension;
  const output = await askHost(context, flags, {
    method: 'POST',
    path: EXTENSIONS_PATH,
    body: { path },
    timeoutMs,
  });
  return say(context, flags, output, 'loaded');
}

/** `fairlead ext reload NAME|DIR`. */
export async function extReload(context: CommandContext, name: string, flags: ExtFlags): Promise<number> {
  const timeoutMs = answerTimeoutMs.extension;
  const path = `${EXTENSIONS_PATH}/${named(context, name)}/reload`;
  const output = await askHost(context, flags, { method: 'POST', path, timeoutMs });
  return say(context, flags, output, 'reloaded');
}

/** `fairlead ext unload NAME|DIR`. */
export async function extUnload(context: CommandContext, name: string, flags: ExtFlags): Promise<number> {
  const timeoutMs = answerTimeoutMs.extension;
  const output = await askHost(context, flags, {
    method: 'DELETE',
    path: `${EXTENSIONS_PATH}/${named(context, name)}`,
    timeoutMs,
  });
  return say(context, flags, output, 'unloaded');
}

/** `fairlead ext output NAME`: what its worker printed last. */
export async function extOutput(context: CommandContext, name: string, flags: ExtFlags): Promise<number> {
  const output = await askHost(context, flags, {
    method: 'GET',
    path: `${EXTENSIONS_PATH}/${named(context, name)}/output`,
  });
  const text = isJsonObject(output) && typeof output['output'] === 'string' ? output['output'] : '';
  if (flags.json === true) context.stdout(jsonLine(output));
  else if (text !== '') context.stdout(`${text.replace(/\n$/, '').split('\n').map(endOfLine).join('\n')}\n`);
  return exitCodes.done;
}

/** Of a line that is too long to be read, its end: what was printed last is what matters. */
function endOfLine(line: string): string {
  if (line.length <= outputLimits.lineCharacters) return safeLine(line);
  return `…${safeLine(line.slice(1 - outputLimits.lineCharacters).toWellFormed())}`;
}

/** A name is sent as it is, a folder as its absolute path: the host knows which extension came from it. */
function named(context: CommandContext, name: string): string {
  return encodeURIComponent(/[/\\.]/.test(name) ? resolve(context.cwd, name) : name);
}

function say(context: CommandContext, flags: ExtFlags, output: Json, done: string): number {
  const { name, version, notes } = isJsonObject(output) ? output : {};
  if (flags.json === true) {
    context.stdout(jsonLine(output));
    return exitCodes.done;
  }
  context.stdout(`${done} ${safeLine(name)}${version === undefined ? '' : ` ${safeLine(version)}`}\n`);
  for (const note of Array.isArray(notes) ? notes : []) context.stdout(`note: ${safeLine(note)}\n`);
  return exitCodes.done;
}
