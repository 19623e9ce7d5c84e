import { join } from 'node:path';
import { FairleadError, type Json } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { answerTimeoutMs, clientLimits } from '../limits.ts';
import { withProgress } from '../output/progress.ts';
import { readBounded } from '../state/read-bounded.ts';
import { type Envelope, sendOnce } from './api-client.ts';
import { operatorTokenFile } from './token-source.ts';

/**
 * One request to the process that owns a state directory, with its operator token. Throws `server_unreachable`,
 * `answer_lost` (`read_lost` for a GET), `operator_token_refused`, or the code that the server refused it with.
 */
export async function adminRequest(
  context: CommandContext,
  options: {
    readonly url: string;
    readonly stateDirectory: string;
    readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly body?: Json;
    /** How long the answer may take; default 15 s. */
    readonly timeoutMs?: number;
    /** What is waited for, where that takes longer than a second; null where somebody tells it otherwise. */
    readonly waitingFor?: string | null;
  },
): Promise<Json> {
  const { url, stateDirectory, method, path, body, timeoutMs = answerTimeoutMs.admin } = options;
  const { waitingFor = 'waiting for the host' } = options;
  const token = await readOperatorToken(stateDirectory);
  const send = () =>
    sendOnce({
      clock: context.clock,
      serverUrl: url,
      path,
      method,
      token,
      ...(body === undefined ? {} : { body }),
      timeoutMs,
    });
  const answer = await (waitingFor === null ? send() : withProgress(context, waitingFor, send));
  switch (answer.kind) {
    case 'answered':
      return outputOrThrow(answer.envelope);
    case 'refused':
      throw cliError('access_refused', { detail: { status: answer.status } });
    case 'unsent':
      throw cliError('server_unreachable', { detail: { address: url, reason: answer.reason } });
    case 'lost':
      throw cliError(method === 'GET' ? 'read_lost' : 'answer_lost', { detail: { reason: answer.reason } });
  }
}

/** The token that the host wrote for whoever may read its folder. */
export async function readOperatorToken(stateDirectory: string): Promise<string | undefined> {
  const path = join(stateDirectory, operatorTokenFile);
  const bytes = await readBounded(path, clientLimits.tokenFileBytes).catch(() => null);
  const token = bytes?.toString('utf8').trim() ?? '';
  return /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

function outputOrThrow(envelope: Envelope): Json {
  if (envelope.error === null) return envelope.output;
  const { code, message, detail } = envelope.error;
  if (code === 'unauthorized') throw cliError('operator_token_refused', { detail: { reason: message } });
  throw new FairleadError(code, message, detail === undefined ? {} : { detail });
}
