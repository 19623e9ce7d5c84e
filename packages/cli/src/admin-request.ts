import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError, type Json } from '@fairlead/base';
import { type Envelope, sendOnce } from './api-client.ts';
import { operatorTokenFile } from './token-source.ts';

/**
 * One request to the process that owns a state directory, with its operator token. Throws `server_unreachable`,
 * `answer_lost`, or the code that the server refused it with.
 */
export async function adminRequest(options: {
  readonly url: string;
  readonly stateDirectory: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
}): Promise<Json> {
  const { url, stateDirectory, method, path, body } = options;
  const token = (await readFile(join(stateDirectory, operatorTokenFile), 'utf8').catch(() => '')).trim();
  const answer = await sendOnce({
    serverUrl: url,
    path,
    method,
    token: token === '' ? undefined : token,
    ...(body === undefined ? {} : { body }),
    timeoutMs: 15_000,
  });
  if (answer.kind === 'unsent') {
    throw new FairleadError('server_unreachable', `no server answers at ${url}; nothing was sent`);
  }
  if (answer.kind === 'lost') throw new FairleadError('answer_lost', `the answer was lost: ${answer.reason}`);
  return outputOrThrow(answer.envelope);
}

function outputOrThrow(envelope: Envelope): Json {
  if (envelope.error === null) return envelope.output;
  const { code, message, detail } = envelope.error;
  throw new FairleadError(code, message, detail === undefined ? {} : { detail });
}

/** True when something that calls itself Fairlead answers at the address. */
export async function answersHealth(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { redirect: 'error', signal: AbortSignal.timeout(2_000) });
    const body: unknown = await response.json();
    return response.ok && JSON.stringify(body).includes('fairlead');
  } catch {
    return false;
  }
}
