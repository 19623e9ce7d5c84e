import {
  type Clock,
  delay,
  FairleadError,
  isJsonObject,
  type Json,
  parseJson,
  type Random,
  randomId,
  sha256Base64url,
} from '@fairlead/base';
import type { OAuthConfig } from '../configuration/server-config.ts';
import { mcpErrors } from '../errors.ts';
import { tokenLimits } from '../limits.ts';
import type { SecretRows } from './secret-rows.ts';

export interface TokenSourceOptions {
  /** The row's name. */
  readonly name: string;
  readonly config: OAuthConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly rows: SecretRows;
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** What is kept. `claim` is who refreshes now, until when by the wall clock: a refresh token that rotates is used once. */
interface Kept {
  readonly access?: string;
  readonly expiresMs?: number;
  readonly refresh: string;
  /** Digest of the variable's value that it began with: another value there begins anew. */
  readonly seed: string;
  readonly claim?: { readonly by: string; readonly untilMs: number };
}

/**
 * The bearer token of one server. Whoever needs a fresh one claims the row, refreshes, and writes both tokens; everybody else, in this process and in
 * others, waits for what was written. A token that somebody else has written since is taken, never replaced.
 */
export class TokenSource {
  readonly #options: TokenSourceOptions;
  readonly #id: string;
  #token: string | undefined;
  #expiresMs = 0;
  /** Tokens that were in use, the newest last. */
  #known: readonly string[] = [];
  #flight: Promise<void> | undefined;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
    this.#id = randomId('', options.random);
  }

  /** The newest one that is known, without looking: what a request carries. */
  get token(): string | undefined {
    return this.#token;
  }

  /** A text without any token of it that a server may have been given, or may still take. */
  mask(text: string): string {
    let masked = text;
    for (const token of this.#known) masked = masked.replaceAll(token, '[token]');
    return masked;
  }

  /** Sees to a token with 60 s left. One flight for all. Rejects with `mcp_token_failed`. */
  async fresh(): Promise<void> {
    if (this.#token !== undefined && this.#expiresMs - this.#options.clock.wallMs() > tokenLimits.freshMs)
      return;
    this.#flight ??= this.#refresh().finally(() => {
      this.#flight = undefined;
    });
    await this.#flight;
  }

  /** The server did not take it: the next call looks for another one. */
  refused(): void {
    this.#expiresMs = 0;
  }

  async #refresh(): Promise<void> {
    const { clock, rows, name } = this.#options;
    const stale = this.#token;
    const endMs = clock.monotonicMs() + tokenLimits.refreshMs * 2;
    while (clock.monotonicMs() < endMs) {
      const { version, text } = await rows.read(name);
      const kept = this.#seeded(text);
      this.#know(kept);
      const nowMs = clock.wallMs();
      const isFresh = kept.access !== undefined && (kept.expiresMs ?? 0) - nowMs > tokenLimits.freshMs;
      if (isFresh && kept.access !== stale) return this.#take(kept);
      if (kept.claim !== undefined && kept.claim.by !== this.#id && kept.claim.untilMs > nowMs) {
        await delay(clock, tokenLimits.waitMs);
        continue;
      }
      const claim = { by: this.#id, untilMs: nowMs + tokenLimits.refreshMs };
      if (!(await rows.swap(name, version, JSON.stringify({ ...kept, claim })))) continue;
      return await this.#ask(kept, version + 1);
    }
    throw failed('another refresh did not end');
  }

  /** What stands in the row, unless the operator has put another refresh token into the variable since. */
  #seeded(text: string | undefined): Kept {
    const { env, config } = this.#options;
    const given = env[config.refreshTokenEnv];
    const seed = given === undefined ? undefined : sha256Base64url(given);
    const kept = readKept(text);
    if (kept !== undefined && (seed === undefined || kept.seed === seed)) return kept;
    if (given === undefined || given === '' || seed === undefined)
      throw failed(`${config.refreshTokenEnv} is not set`);
    return { refresh: given, seed };
  }

  async #ask(kept: Kept, version: number): Promise<void> {
    const { rows, name, clock } = this.#options;
    const { claim: _claim, ...rest } = kept;
    let answer: TokenAnswer;
    try {
      answer = tokenAnswer(await this.#request(kept.refresh));
    } catch (error) {
      // The claim is given back, so that the next one who needs a token need not wait for its end.
      await rows.swap(name, version, JSON.stringify(rest));
      throw error;
    }
    const { access, refresh, seconds } = answer;
    const lifeMs = seconds === undefined ? tokenLimits.lifeMs : seconds * 1000;
    const next: Kept = {
      ...rest,
      access,
      expiresMs: clock.wallMs() + lifeMs,
      refresh: refresh ?? kept.refresh,
    };
    // Who took the claim over meanwhile has written a newer one: theirs stands.
    if (await rows.swap(name, version, JSON.stringify(next))) return this.#take(next);
    const { text } = await rows.read(name);
    this.#take(readKept(text) ?? next);
  }

  async #request(refresh: string): Promise<Json> {
    const { config, env, fetch, clock } = this.#options;
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh });
    form.set('client_id', config.clientId);
    const secret = config.clientSecretEnv === undefined ? undefined : env[config.clientSecretEnv];
    if (secret !== undefined) form.set('client_secret', secret);
    if (config.scope !== undefined) form.set('scope', config.scope);
    if (config.resource !== undefined) form.set('resource', config.resource);
    const controller = new AbortController();
    const timer = clock.setTimer(tokenLimits.refreshMs - 1000, () => controller.abort());
    try {
      const response = await fetch(config.tokenUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: form.toString(),
        signal: controller.signal,
      });
      const body = await bodyOf(response);
      if (!response.ok) throw failed(`HTTP ${response.status}`);
      if (body === undefined) throw failed(`the answer is longer than ${tokenLimits.answerBytes} bytes`);
      const parsed = parseJson(body, BOUNDS);
      if (!parsed.ok || !isJsonObject(parsed.value)) throw failed('the answer is no JSON object');
      return parsed.value;
    } catch (error) {
      throw error instanceof FairleadError ? error : failed('no answer came');
    } finally {
      timer.cancel();
    }
  }

  #know({ access, refresh }: Kept): void {
    const tokens = [access, refresh].filter((token) => token !== undefined);
    const long = tokens.filter((token) => token.length >= tokenLimits.maskedLength);
    const others = this.#known.filter((token) => !long.includes(token));
    this.#known = [...others, ...long].slice(-tokenLimits.maskedTokens);
  }

  #take(kept: Kept): void {
    const { access, expiresMs = 0 } = kept;
    this.#know(kept);
    this.#token = access;
    this.#expiresMs = expiresMs;
  }
}

const BOUNDS = Object.freeze({
  maxBytes: tokenLimits.answerBytes,
  maxDepth: 8,
  maxNodes: 1024,
  maxStringBytes: tokenLimits.answerBytes,
  maxKeyBytes: 1024,
});

/** The body of an answer; undefined where it is longer than any token, and then no more of it is read. */
async function bodyOf(response: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > tokenLimits.answerBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface TokenAnswer {
  readonly access: string;
  /** The next one, where it rotates. */
  readonly refresh: string | undefined;
  readonly seconds: number | undefined;
}

function tokenAnswer(answer: Json): TokenAnswer {
  const {
    access_token: access,
    refresh_token: refresh,
    expires_in: seconds,
  } = isJsonObject(answer) ? answer : {};
  if (typeof access !== 'string' || access === '') throw failed('the answer has no access_token');
  return {
    access,
    refresh: typeof refresh === 'string' && refresh !== '' ? refresh : undefined,
    seconds: typeof seconds === 'number' && seconds > 0 ? seconds : undefined,
  };
}

function readKept(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  const kept = JSON.parse(text) as Kept;
  return typeof kept.refresh === 'string' && typeof kept.seed === 'string' ? kept : undefined;
}

function failed(what: string): FairleadError {
  return new FairleadError('mcp_token_failed', `${mcpErrors.mcp_token_failed.message} (${what})`);
}
