import { type Clock, isJsonObject } from '@fairlead/base';
import { answerTimeoutMs } from '../limits.ts';
import { sendOnce } from './api-client.ts';

/** True when a Fairlead gateway answers at the address. Sends no token. */
export async function answersHealth(clock: Clock, url: string): Promise<boolean> {
  const timeoutMs = answerTimeoutMs.health;
  const answer = await sendOnce({ clock, serverUrl: url, path: '/healthz', method: 'GET', timeoutMs });
  if (answer.kind !== 'answered' || !answer.envelope.success) return false;
  const { output } = answer.envelope;
  return isJsonObject(output) && output['name'] === 'fairlead';
}
