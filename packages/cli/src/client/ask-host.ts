import type { Json } from '@fairlead/base';
import type { CommandContext } from '../command-context.ts';
import { adminRequest } from './admin-request.ts';

/** One request to the host that runs on this machine. */
export type HostRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
  /** Above what the work may take: the host's own answer comes first. */
  readonly timeoutMs?: number;
};

/** Asks one host, again and again. */
export type AskHost = (request: HostRequest) => Promise<Json>;

/** A host of this machine that answers. */
export type ReachedHost = { readonly url: string; readonly stateDirectory: string; readonly ask: AskHost };

/** The flags that say which host. */
export type HostFlags = { readonly stateDir?: string };

/** A host at an address, with the operator token of its state directory. */
export function hostAt(
  context: CommandContext,
  { url, stateDirectory }: { readonly url: string; readonly stateDirectory: string },
): ReachedHost {
  return {
    ...{ url, stateDirectory },
    ask: (request) => adminRequest(context, { url, stateDirectory, ...request }),
  };
}
