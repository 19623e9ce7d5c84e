import { type Clock, isJsonObject } from '@fairlead/base';
import { type Answer, sendOnce } from '../client/api-client.ts';
import { answerTimeoutMs } from '../limits.ts';
import type { GatewayAnswer } from './proxy.ts';

/** What one request to `/healthz` told; it carries no token. */
export type GatewayProbe = {
  readonly answer: GatewayAnswer;
  readonly date: string | null;
  readonly askedMs: number;
  readonly answeredMs: number;
};

/** Asks an address who it is. Rejects with `server_url_invalid` for what is no address. */
export async function probeGateway(clock: Clock, url: string): Promise<GatewayProbe> {
  const askedMs = clock.wallMs();
  const heads: Head[] = [];
  const answer = await sendOnce({
    clock,
    serverUrl: url,
    path: '/healthz',
    method: 'GET',
    timeoutMs: answerTimeoutMs.health,
    onHead: (status, { date = null, via, server }) =>
      heads.push({ status, date, server: via?.toString() ?? server?.toString() ?? null }),
  });
  const answeredMs = clock.wallMs();
  const head = heads[0] ?? null;
  return { answer: judged(answer, head), date: head?.date ?? null, askedMs, answeredMs };
}

type Head = { readonly status: number; readonly date: string | null; readonly server: string | null };

function judged(answer: Answer, head: Head | null): GatewayAnswer {
  if (answer.kind === 'answered') {
    const { output } = answer.envelope;
    const isOurs = isJsonObject(output) && output['name'] === 'fairlead';
    // An envelope is ours also where the gateway refuses the host name that it was called by.
    if (isOurs || answer.envelope.error !== null) return { kind: 'fairlead' };
    return { kind: 'foreign', status: answer.status, server: head?.server ?? null };
  }
  if (head !== null) return { kind: 'foreign', status: head.status, server: head.server };
  return { kind: 'nothing', reason: answer.kind === 'refused' ? `HTTP ${answer.status}` : answer.reason };
}
