import { hasValue, nearestKey } from '@fairlead/base';
import { commandName, extensionErrors, isCommandName, splitWords } from '@fairlead/extension/runtime';
import { runCommand } from '@fairlead/hub';
import { commandBounds } from '../limits.ts';
import type { CommandAnswer, CommandLineGiven } from './command-answer.ts';
import { faultAnswer, refusal, shown, unknownCommand, usageFault } from './command-fault.ts';
import { commandSet } from './command-set.ts';
import { commandTable, findCommand, hostNames } from './command-table.ts';
import { elsewhere } from './elsewhere.ts';
import type { HostCall, HostCommand, HostForm } from './host-command.ts';
import type { CommandPorts } from './ports.ts';
import { screenAnswer } from './screen-answer.ts';

/**
 * Runs a line that begins with `/`: the host's own command of that name, else the one of an extension that is on in the session. A line is no
 * entry of the session, and runs at once, also during a turn. What is refused is an answer with a code, and with the usage where the line does
 * not fit; it rejects with a fault of the host alone.
 */
export async function runHostCommand(ports: CommandPorts, given: CommandLineGiven): Promise<CommandAnswer> {
  const { answer, whose } = await run(ports, given);
  return screenAnswer(ports, answer, whose);
}

interface Answered {
  readonly answer: CommandAnswer;
  readonly whose: 'host' | 'extension';
}

async function run(ports: CommandPorts, given: CommandLineGiven): Promise<Answered> {
  const { line, session } = given;
  const host = (answer: CommandAnswer): Answered => ({ answer, whose: 'host' });
  if (line.length > commandBounds.line)
    return host(usageFault(`a line has ${commandBounds.line} characters at most`, '/help'));
  if (!/^\s*\/\S/.test(line)) return host(usageFault('a command begins with / and a name', '/help'));
  const { name, rest } = commandName(line);
  try {
    // A command may take longer than the handle is good for.
    using held = await ports.sessions.hold(session);
    const { database } = held;
    const command = findCommand(name);
    if (command !== undefined) {
      const meta = await ports.sessions.meta(session);
      const call = { ports, session: database.root, database, meta, given, commands: commandTable };
      return host(await runForm(call, command, rest));
    }
    const where = elsewhere(name);
    if (where !== undefined) return host(refusal('command_elsewhere', `/${name}: ${where}`));
    return { answer: await runExtensions(ports, given, name), whose: 'extension' };
  } catch (error) {
    return host(faultAnswer(error));
  }
}

/** The form that the first word names, else the bare one. */
async function runForm(call: HostCall, command: HostCommand, rest: string): Promise<CommandAnswer> {
  const { first, behind } = firstWord(rest);
  const sub = first === '' ? undefined : command.forms.find((form) => form.sub === first);
  const [bare] = command.forms;
  if (sub !== undefined) return await runAllowed(call, sub, behind);
  if (
    bare !== undefined &&
    bare.sub === '' &&
    (first === '' || first.startsWith('--') || bare.takesWords() || command.forms.length === 1)
  )
    return await runAllowed(call, bare, rest);
  const where = elsewhere(`${command.name} ${first}`);
  if (where !== undefined) return refusal('command_elsewhere', `/${command.name} ${first}: ${where}`);
  const near = nearestKey(
    first,
    command.forms.map(({ sub: known }) => known),
  );
  const why = first === '' ? 'it takes a sub-command' : 'there is no such sub-command';
  const hint = near === undefined || near === '' ? '' : `; did you mean ${near}?`;
  return usageFault(`${why}${hint}`, command.forms.map((form) => form.usage()).join('\n'));
}

async function runAllowed(call: HostCall, form: HostForm, rest: string): Promise<CommandAnswer> {
  if (!call.given.by.scopes.includes(form.scope)) return refusal('command_scope_missing', form.scope);
  return await form.run(call, rest);
}

function firstWord(rest: string): { readonly first: string; readonly behind: string } {
  const { name, rest: behind } = commandName(`/${rest.trimStart()}`);
  const words = splitWords(name);
  const [word] = words.ok && words.words.length === 1 ? words.words : [];
  return { first: word?.text ?? name, behind };
}

async function runExtensions(
  ports: CommandPorts,
  given: CommandLineGiven,
  name: string,
): Promise<CommandAnswer> {
  if (!given.by.scopes.includes('session:write')) return refusal('command_scope_missing', 'session:write');
  const { line, session, signal, onProgress } = given;
  await using set = await commandSet(ports, session);
  if (!isCommandName(name)) return unknownCommand(name, [...hostNames(), ...set.commands.keys()]);
  const over = ports.running.add(session, name, given.by);
  const outcome = await runCommand(set, {
    line,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined
      ? {}
      : { onProgress: (text: string) => onProgress(ports.leaks.text(text).value) }),
  }).finally(over);
  if (hasValue(outcome)) return outcome.value;
  const { code, message, detail } = outcome.fault;
  // Whose it is, where it is somebody's.
  if (code === 'unknown_command' && message.startsWith(extensionErrors.unknown_command.message))
    return unknownCommand(name, [...hostNames(), ...set.commands.keys()]);
  if (code === 'command_usage') return usageFault(message, usageIn(detail) ?? `/${name}`);
  return { error: { code, message: shown(message), certainty: outcome.certainty } };
}

function usageIn(detail: unknown): string | undefined {
  if (typeof detail !== 'object' || detail === null || !('usage' in detail)) return undefined;
  return typeof detail.usage === 'string' ? detail.usage : undefined;
}
