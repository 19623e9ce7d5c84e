import { isJsonObject } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { askAnyHost } from '../../host/with-host.ts';
import { answerTimeoutMs } from '../../limits.ts';
import { jsonLine } from '../../output/safe-text.ts';

type Flags = { readonly stateDir?: string; readonly json?: boolean };

/** `fairlead pause`: no turn, firing or call starts until `resume`, also after a restart; running ones are cancelled. */
export async function pause(context: CommandContext, flags: Flags): Promise<number> {
  return await switchTo(context, flags, 'pause', [
    'paused; nothing starts until resume',
    'it was paused already',
  ]);
}

/** `fairlead resume`: what waits is answered. */
export async function resume(context: CommandContext, flags: Flags): Promise<number> {
  return await switchTo(context, flags, 'resume', ['resumed', 'it was not paused']);
}

async function switchTo(
  context: CommandContext,
  flags: Flags,
  way: 'pause' | 'resume',
  [done, known]: readonly [string, string],
): Promise<number> {
  const timeoutMs = answerTimeoutMs.pause;
  const path = `/api/admin/${way}`;
  const output = await askAnyHost(context, flags, { method: 'POST', path, body: {}, timeoutMs });
  const isNew = isJsonObject(output) && output['changed'] === true;
  context.stdout(flags.json === true ? jsonLine(output) : `${isNew ? done : known}\n`);
  return exitCodes.done;
}
