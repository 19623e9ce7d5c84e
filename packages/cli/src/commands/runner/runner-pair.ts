import { isJsonObject } from '@fairlead/base';
import { isRunnerId } from '@fairlead/runner';
import { cliError } from '../../cli-error.ts';
import { adminRequest } from '../../client/admin-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, safeLine } from '../../output/safe-text.ts';
import { findHost } from '../../owner/host-in-charge.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { UsageError } from '../../usage-error.ts';

type PairFlags = {
  readonly stateDir?: string;
  readonly runner?: string;
  readonly name?: string;
  readonly json?: boolean;
};

/**
 * `fairlead runner pair`: asks the running host for a code, good once and for 10 minutes. It lives in the host's memory, so
 * there must be one. Throws `host_not_running` and the gateway's `token_request_invalid`, `pairing_limit_reached`.
 */
export async function runnerPair(context: CommandContext, flags: PairFlags): Promise<number> {
  const { runner = newRunnerId(context), name } = flags;
  if (!isRunnerId(runner)) {
    throw new UsageError(
      'A runner id has 1 to 128 letters, digits, `_`, `.` or `-` and begins with a letter or digit.',
    );
  }
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await findHost(context, stateDirectory);
  if (server === null) throw cliError('host_not_running', { detail: { state_directory: stateDirectory } });
  const output = await adminRequest(context, {
    url: server.url,
    stateDirectory,
    method: 'POST',
    path: '/api/admin/pairings',
    body: { runner, ...(name === undefined ? {} : { name }) },
  });
  if (!isJsonObject(output) || typeof output['code'] !== 'string' || typeof output['url'] !== 'string') {
    throw cliError('answer_lost', { message: 'The host answered without a code.' });
  }
  if (flags.json === true) {
    context.stdout(jsonLine(output));
    return exitCodes.done;
  }
  context.stdout(`${safeLine(output['code'])}\n`);
  context.stderr(
    `good once, for 10 minutes. On the other machine, which becomes Runner ${runner}:\n` +
      `  fairlead runner join ${safeLine(output['url'])} ${safeLine(output['code'])}\n` +
      (isOwnMachine(output['url'])
        ? 'That address leads to this machine alone: use the one by which the other machine reaches this gateway (public_url in fairlead.toml, or a tunnel).\n'
        : ''),
  );
  return exitCodes.done;
}

/** True for an address that means another machine on another machine. */
function isOwnMachine(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

/** Short enough to be typed, and not taken by chance. */
function newRunnerId({ random }: CommandContext): string {
  return `runner-${Buffer.from(random(4)).toString('hex')}`;
}
