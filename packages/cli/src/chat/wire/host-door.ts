import { FairleadError, type Json } from '@fairlead/base';
import { cliError } from '../../cli-error.ts';
import { adminRequest, readOperatorToken } from '../../client/admin-request.ts';
import type { HostRequest } from '../../client/ask-host.ts';
import { type EventStream, openEventStream, type StreamEvent } from '../../client/event-stream.ts';
import type { CommandContext } from '../../command-context.ts';
import { readServerFile } from '../../state/server-file.ts';

/** A host that may go away and come back at another address. */
export type HostDoor = {
  /** One request to the host that is there now. Rejects with `server_unreachable` where none is. */
  ask(request: HostRequest): Promise<Json>;
  /** A stream of it; null where none is there. */
  listen(
    path: string,
    after: string | undefined,
    hear: (event: StreamEvent) => void,
  ): Promise<EventStream | null>;
};

/** The host of a state directory, wherever `server.json` says that it is; `url`: one that stands in no file. */
export function hostDoor(
  context: CommandContext,
  { stateDirectory, url }: { readonly stateDirectory: string; readonly url?: string },
): HostDoor {
  const address = async () => url ?? (await readServerFile(stateDirectory))?.url;
  return {
    ask: async (request) => {
      const found = await address();
      if (found === undefined) throw cliError('server_unreachable');
      return await adminRequest(context, { url: found, stateDirectory, waitingFor: null, ...request });
    },
    listen: async (path, after, hear) => {
      const found = await address();
      if (found === undefined) return null;
      const token = await readOperatorToken(stateDirectory);
      return openEventStream({ url: found, path, token, after }, hear);
    },
  };
}

/** True for what a host that goes away, is gone or comes up answers: asking again later is right, where a key keeps it from counting twice. */
export function isAway(error: unknown): boolean {
  return (
    error instanceof FairleadError &&
    ['server_unreachable', 'answer_lost', 'read_lost', 'gateway_stopping', 'operator_token_refused'].includes(
      error.code,
    )
  );
}
