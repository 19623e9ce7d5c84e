import { request } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { escapeHidden, FairleadError } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import { clientLimits } from '../limits.ts';
import { readOperatorToken } from './admin-request.ts';
import { parseServerUrl, readEnvelope } from './api-client.ts';
import type { ReachedHost } from './ask-host.ts';

/**
 * Hands on the lines of an answer of a host as they come, however many. Throws `read_lost` where they break off, or the code that the host refuses it with.
 */
export async function streamTo(
  { url, stateDirectory }: Pick<ReachedHost, 'url' | 'stateDirectory'>,
  path: string,
  write: (text: string) => void,
): Promise<void> {
  const token = await readOperatorToken(stateDirectory);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const lost = (reason: string) => cliError('read_lost', { detail: { reason } });
  await new Promise<void>((resolve, reject) => {
    const asked = request(parseServerUrl(url, path), { headers, agent: false });
    asked.on('error', (error: NodeJS.ErrnoException) => reject(lost(error.code ?? 'the connection failed')));
    asked.on('response', (response) => {
      const decoder = new StringDecoder('utf8');
      const chunks: Buffer[] = [];
      let size = 0;
      const isWhole = response.statusCode === 200;
      response.on('data', (chunk: Buffer) => {
        // Control characters are escapes in JSON; a line feed ends a line.
        if (isWhole) write(decoder.write(chunk).split('\n').map(escapeHidden).join('\n'));
        size += chunk.length;
        if (!isWhole && size <= clientLimits.answerBytes) chunks.push(chunk);
      });
      response.on('error', () => reject(lost('the answer broke off')));
      response.on('end', () => {
        if (!response.complete) return reject(lost('the answer broke off'));
        if (isWhole) return resolve();
        const error = readEnvelope(Buffer.concat(chunks))?.error;
        if (error == null) return reject(lost(`HTTP ${response.statusCode}`));
        reject(new FairleadError(error.code, error.message));
      });
    });
    asked.end();
  });
}
