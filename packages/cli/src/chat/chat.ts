import { resolve } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import { cliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandHint } from '../output/command-hint.ts';
import { openQuestions } from '../output/questions.ts';
import { safeLine } from '../output/safe-text.ts';
import { findHost } from '../owner/host-in-charge.ts';
import { resolveStateDirectory } from '../state/state-directory.ts';
import { type HostDoor, hostDoor } from './wire/host-door.ts';
import { type ChatSessionWish, firstAgent, pickSession } from './wire/pick-session.ts';

/** The flags of `chat`. */
export type ChatFlags = {
  readonly session?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly workspace?: string;
  readonly new?: boolean;
  readonly demo?: boolean;
  readonly stateDir?: string;
};

/**
 * `fairlead chat`: a conversation with an agent of the running host, on a terminal or, without one, line by line. Throws `host_not_running`, `model_missing`,
 * and what the host refuses it with.
 */
export async function chat(context: CommandContext, flags: ChatFlags): Promise<number> {
  if (flags.demo === true) return await demo(context);
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await findHost(context, stateDirectory);
  const { command, stateFlag } = commandHint(context, stateDirectory);
  if (server === null) {
    context.stderr(`fairlead: see what it is like without a host or a model: ${command} chat --demo\n`);
    throw cliError('host_not_running', { detail: { state_directory: stateDirectory } });
  }
  const door = hostDoor(context, { stateDirectory });
  if ((await firstAgent(door)) === null) {
    const wantsDemo = await offersDemo(context, `${command} model add${stateFlag}`, `${command} chat --demo`);
    if (wantsDemo) return await demo(context);
    throw cliError('model_missing');
  }
  const { session, agent, model, workspace } = flags;
  const isNew = flags.new === true;
  const wish = { session, agent, model, workspace: resolve(context.cwd, workspace ?? '.'), isNew };
  const hint = (id: string) => `${command} chat${stateFlag} --session ${safeLine(id)}`;
  return await converse(context, door, wish, hint);
}

/** Without a model nobody answers: says so, and offers the demo where somebody can take it. */
async function offersDemo(context: CommandContext, add: string, show: string): Promise<boolean> {
  const questions = openQuestions(context);
  if (questions === null) {
    context.stderr(`fairlead: see what it is like without a model: ${show}\n`);
    return false;
  }
  await using asked = questions;
  context.stderr(
    'This host has no model yet, so no agent can answer.\n' +
      `  Add one:  ${add}\n` +
      '  Or see the demo: a script in place of a model, in a session of its own that leaves nothing behind.\n',
  );
  const answer = await asked.ask('Show the demo? Enter for yes, n for no');
  return answer !== null && /^(y(es)?)?$/i.test(answer);
}

async function demo(context: CommandContext): Promise<number> {
  const { openDemoHost } = await import('./demo/demo-host.ts');
  await using stack = new AsyncDisposableStack();
  // A terminal that goes away says so twice, and the demo takes its folder along.
  let isStopped = false;
  const outlive = () => {
    isStopped = true;
  };
  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) {
    process.on(signal, outlive);
    stack.defer(() => void process.off(signal, outlive));
  }
  const host = stack.use(await openDemoHost(context));
  if (isStopped) return exitCodes.interrupted;
  const door = hostDoor(context, host);
  context.stderr('The demo: what the model says stands in a script. Say anything, then Enter.\n');
  return await converse(context, door, { workspace: host.workspace, isNew: true }, null);
}

/** On a terminal that can be drawn on, else line by line. `hint`: how one comes back. */
async function converse(
  context: CommandContext,
  door: HostDoor,
  wish: ChatSessionWish,
  hint: ((session: string) => string) | null,
): Promise<number> {
  const session = await pickSession(door, wish);
  const { input, output } = context.streams();
  if (!isTerminal(input) || !isTerminal(output) || context.env['TERM'] === 'dumb') {
    const { plainChat } = await import('./plain/plain-chat.ts');
    const { exit } = await plainChat(context, { door, session, input });
    return exit;
  }
  const { terminalChat } = await import('./terminal-chat.ts');
  const terminal = { input: input as ReadStream, output: output as WriteStream };
  const ended = await terminalChat(context, { door, session, ...terminal });
  if (ended.unsent > 0) {
    const what = ended.unsent === 1 ? 'one message was' : `${ended.unsent} messages were`;
    context.stderr(`fairlead: the host has not said that it has everything: ${what} perhaps not sent\n`);
  }
  if (hint !== null) context.stderr(`The session stays: ${hint(ended.session)}\n`);
  return ended.unsent > 0 && ended.exit === exitCodes.done ? exitCodes.unknown : ended.exit;
}

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}
