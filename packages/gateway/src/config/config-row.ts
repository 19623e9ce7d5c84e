/** What the host runs with, read once at start. */
export type HostConfig = {
  /** Address to listen on, without brackets. */
  readonly bind: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The origin by which clients reach a proxy in front, or null. */
  readonly publicUrl: string | null;
  /** Addresses and ranges whose `X-Forwarded-For` is believed, for log lines alone. */
  readonly trustedProxies: readonly string[];
  /** Listening without TLS where other machines can connect was asked for. */
  readonly allowRemote: boolean;
  /** `trusted_agent`, `restricted`, or a word of another version, which refuses as `restricted` does. */
  readonly authority: string;
  /** Largest request body. */
  readonly bodyBytes: number;
  /** Longest request, from its first header to its answer. */
  readonly requestSecs: number;
  /** Most sockets at once. */
  readonly connections: number;
};

/** Where a value came from, strongest first. */
export type ConfigSource = 'flag' | 'environment' | 'file' | 'default';

/** One line of `config show`. `from` is the flag's or variable's name; `line` is that of the file. */
export type ConfigRow = {
  readonly key: string;
  readonly value: string | number | boolean | null | readonly string[];
  readonly source: ConfigSource;
  readonly from: string | null;
  readonly line: number | null;
};
