import type { Json } from '@fairlead/base';

/** One POST of JSON to a gateway. */
export type Post = {
  readonly path: string;
  readonly token: string;
  readonly accept: string;
  readonly body: Json;
  /** For the whole of it, connecting included. */
  readonly timeoutMs: number;
  /** Hangs up: whoever asked has cancelled, and what is held for it ends. */
  readonly signal?: AbortSignal;
};

/** What one POST came to; `unsent` and `lost` as in `client/api-client.ts`. */
export type PostReply =
  | { readonly kind: 'answered'; readonly status: number; readonly mediaType: string; readonly bytes: Buffer }
  | { readonly kind: 'unsent'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string };

/** Posts to one gateway over sockets that it keeps. Never retries, never follows a redirect. */
export type Poster = Disposable & { post(wanted: Post): Promise<PostReply> };
