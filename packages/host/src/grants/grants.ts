/**
 * What tools may touch, at one level: a tool's policy, a session, an agent, an agent's word on one tool. Every list has three states:
 * absent says nothing (all is allowed), a list allows what it names, an empty list allows nothing. docs/reference/policy.md has the rules.
 */
export interface Grants {
  readonly shell?: ShellGrant;
  readonly network?: NetworkGrant;
  readonly fs?: FsGrant;
  /** Added by `grantsInForce` and never configured. */
  readonly withheld?: Withheld;
}

/** A folder of the host's own, which no tool touches whatever the lists say. `but` is what stands in it and may be touched. */
export interface Withheld {
  readonly folder: string;
  readonly but?: string;
}

/** The first words of a command, such as `['git', 'log']`; never empty. */
export type CommandPrefix = readonly string[];

export interface ShellGrant {
  readonly allow?: readonly CommandPrefix[];
  /** Beats `allow`. While it names anything, no shell and no launcher runs: what they start could not be seen. */
  readonly deny?: readonly CommandPrefix[];
}

export interface NetworkGrant {
  readonly endpoints?: readonly Endpoint[];
  /** Lets loopback and private networks be reached; where a network grant does not say it, it is false. */
  readonly allowPrivate: boolean;
}

/** One place in the network, as `readGrants` makes it. */
export interface Endpoint {
  /** A host in lower case, `*.` and a domain (every name below it, not itself), or `*`. */
  readonly host: string;
  /** Whole segments, without a slash at the end; absent is every path. */
  readonly pathPrefix?: string;
  /** In upper case; absent is every method. */
  readonly methods?: readonly string[];
}

/** Absolute folders or files, each with all below it; `$workspace` stands for the session's until it is substituted. */
export interface FsGrant {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** Nothing at all: what holds where grants cannot be read. */
export const DENY_ALL: Grants = Object.freeze({
  shell: Object.freeze({ allow: Object.freeze([]) }),
  network: Object.freeze({ endpoints: Object.freeze([]), allowPrivate: false }),
  fs: Object.freeze({ read: Object.freeze([]), write: Object.freeze([]) }),
});
