import { isJsonObject } from '@fairlead/base';
import { sessionPath } from '../../client/find-session.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { withHost } from '../../host/with-host.ts';
import { answerTimeoutMs } from '../../limits.ts';
import { jsonLine, safeText } from '../../output/safe-text.ts';

type SwitchFlags = {
  readonly session: string;
  readonly agent?: boolean;
  readonly stateDir?: string;
  readonly json?: boolean;
};

/** `fairlead ext add|remove NAME --session ID [--agent]`: the same as `/extensions add|remove` in that session. */
export async function extSwitch(
  context: CommandContext,
  what: { readonly sub: 'add' | 'remove'; readonly name: string },
  flags: SwitchFlags,
): Promise<number> {
  const line = `/extensions ${what.sub} ${quoted(what.name)}${flags.agent === true ? ' agent' : ''}`;
  const timeoutMs = answerTimeoutMs.extension;
  const output = await withHost(context, flags, async ({ ask }) => {
    const path = `${await sessionPath(ask, flags.session)}/command`;
    return await ask({ method: 'POST', path, body: { line }, timeoutMs });
  });
  const { text, data = null } = isJsonObject(output) ? output : {};
  if (flags.json === true) context.stdout(jsonLine(data));
  else context.stdout(`${safeText(typeof text === 'string' ? text : '')}\n`);
  return exitCodes.done;
}

/** One word for the splitter of command lines. */
function quoted(word: string): string {
  return /^[\w-]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&')}"`;
}
