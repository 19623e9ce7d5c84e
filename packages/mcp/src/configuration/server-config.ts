import { canonicalJson, type Json, sha256Base64url } from '@fairlead/base';

interface OfEveryServer {
  /** `[a-z0-9-]{1,32}`: its extension is `mcp-` and this. */
  readonly name: string;
  readonly startupTimeoutMs: number;
  readonly timeoutMs: number;
  /** Bytes of the text that a call gives back; more is left out in its middle. */
  readonly maxOutputBytes: number;
  /** What becomes of tools that come after the first catalog. */
  readonly newTools: 'ask' | 'allow';
  /** The imported file that it stands in; absent for `fairlead.toml`. */
  readonly file?: string;
}

/** A program of this machine that speaks over its pipes. */
export interface StdioServer extends OfEveryServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** As written; a relative one is meant from the file's folder. */
  readonly cwd?: string;
  /** `${VARIABLES}` not read yet. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the host that it is given. */
  readonly envPass: readonly string[];
}

/** A server behind an address. */
export interface HttpServer extends OfEveryServer {
  readonly kind: 'http';
  readonly url: string;
  /** `${VARIABLES}` not read yet; only an imported file has any. */
  readonly headers: Readonly<Record<string, string>>;
  /** Header → variable that holds its value. */
  readonly headersEnv: Readonly<Record<string, string>>;
  readonly oauth?: OAuthConfig;
}

/** How a bearer token is had: by a refresh token that was issued to the operator before. */
export interface OAuthConfig {
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Variables. */
  readonly clientSecretEnv?: string;
  readonly refreshTokenEnv: string;
  readonly scope?: string;
  readonly resource?: string;
}

export type ServerConfig = StdioServer | HttpServer;

/** The extension of a server. */
export function extensionOf({ name }: Pick<ServerConfig, 'name'>): string {
  return `mcp-${name}`;
}

/** Names a server and how it is reached: what was approved of one command or address holds for no other. */
export function sourceOf(server: ServerConfig): string {
  const reached: Json =
    server.kind === 'stdio'
      ? { command: server.command, args: [...server.args], cwd: server.cwd ?? null }
      : { url: server.url };
  return `${extensionOf(server)}#${sha256Base64url(canonicalJson(reached)).slice(0, 22)}`;
}
