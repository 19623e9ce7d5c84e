import type { McpClient } from './mcp-client.ts';

/** One server that has answered its handshake. */
export interface Connection {
  readonly client: McpClient;
  /** A getter: nothing can be asked any more. */
  readonly isLost: boolean;
  /** Settles with the reason soon after that. Never rejects. */
  readonly lost: Promise<string>;
  /** Sees to a token before something is sent. Rejects with `mcp_token_failed`. */
  ready(): Promise<void>;
  /** Nothing answers there: it is made anew. */
  giveUp(reason: string): void;
  /** A text of the server without the tokens that it was given. Needs no `this`. */
  readonly mask: (text: string) => string;
  /** The bearer token was not taken. */
  tokenRefused(): void;
  /** Ends it, its session and its processes. Twice is once; never rejects. */
  close(): Promise<void>;
}

/** Why a connection is given up whose server asks more than it takes answers to. */
export const UNREAD = 'it does not read what it is sent';

/** Why there is none. */
interface ConnectFailure {
  readonly code: 'mcp_start_failed' | 'mcp_connect_failed' | 'mcp_protocol_failed' | 'mcp_token_failed';
  /** For people; what is foreign in it is cut. */
  readonly reason: string;
}

export type ConnectAnswer =
  | { readonly ok: true; readonly connection: Connection }
  | ({ readonly ok: false } & ConnectFailure);

/** What is told while a connection is made and lives. */
export interface ConnectionEvents {
  listChanged(): void;
  /** A line that a program printed: on stderr, or on stdout where it is no message. */
  printed(from: 'stdout' | 'stderr', line: string): void;
}
