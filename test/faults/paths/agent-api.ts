import { request } from 'node:http';
import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Told } from '../told.ts';
import { callerPatienceMs, outOfPatience } from './call-path.ts';
import { type Posted, post } from './post.ts';

type Gateway = { readonly port: number; readonly token: string };

/** An answer of the HTTP API: its output, or what kept it from coming. */
export type Answer =
  | { readonly kind: 'output'; readonly output: JsonObject }
  | { readonly kind: 'refused'; readonly code: string; readonly certainty: Json }
  | Exclude<Posted, { readonly kind: 'answered' }>;

/** What agents are asked through. Each request is sent once. */
export class AgentApi {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  async post(path: string, body: Json, timeoutMs: number = callerPatienceMs): Promise<Answer> {
    const { port } = this.#gateway;
    return answerOf(await post(port, path, this.#headers, body, timeoutMs));
  }

  async patch(path: string, body: Json): Promise<Answer> {
    return answerOf(await this.#send('PATCH', path, body));
  }

  async get(path: string): Promise<Answer> {
    return answerOf(await this.#send('GET', path, null));
  }

  /** One line of a session's commands. */
  command(session: string, line: string): Promise<Answer> {
    return this.post(`/api/sessions/${session}/command`, { line });
  }

  /** Every entry of a session, in its order; null where they could not be read. A round's session has fewer than a page. */
  async entries(session: string): Promise<readonly JsonObject[] | null> {
    const answer = await this.get(`/api/sessions/${session}/entries`);
    if (answer.kind !== 'output') return null;
    const { entries } = answer.output;
    return Array.isArray(entries) ? (entries as readonly Json[]).filter(isJsonObject).toReversed() : null;
  }

  get #headers(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.#gateway.token}` };
  }

  async #send(method: string, path: string, body: Json): Promise<Posted> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const { port } = this.#gateway;
    return await new Promise((resolve) => {
      const sending = request(
        { host: '127.0.0.1', port, path, method, agent: false, headers },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('error', () => resolve({ kind: 'lost', reason: 'the answer broke off' }));
          response.on('end', () => resolve({ kind: 'answered', status: response.statusCode ?? 0, text }));
        },
      );
      sending.setTimeout(callerPatienceMs, () => {
        resolve(outOfPatience);
        sending.destroy();
      });
      sending.on('error', (error) => resolve({ kind: 'lost', reason: error.message }));
      sending.end(body === null ? undefined : JSON.stringify(body));
    });
  }
}

/** What its end in a session says of a call to whoever asked for it there. */
export function toldByEnd(
  end: { readonly call: string; readonly certainty: Json | undefined; readonly code: Json | undefined },
  text: string | null,
): Told {
  const { call, certainty, code } = end;
  if (certainty !== 'not_started' && certainty !== 'completed' && certainty !== 'outcome_unknown')
    return { kind: 'unreadable', reason: `a call in a session ended ${String(certainty)}` };
  const known = typeof code === 'string' ? code : null;
  const unsettled = known === 'call_not_settled';
  return { kind: 'answered', certainty, code: known, call, text, unsettled, isBare: text === null };
}

function answerOf(posted: Posted): Answer {
  if (posted.kind !== 'answered') return posted;
  const envelope = JSON.parse(posted.text) as JsonObject;
  const { success, output, error, dispatch_certainty: certainty = null } = envelope;
  if (success === true && isJsonObject(output)) return { kind: 'output', output };
  const code = isJsonObject(error) ? String(error['code']) : 'no code';
  return { kind: 'refused', code, certainty };
}
