import type { HostOptions } from './host-options.ts';
import type { PreparedHost } from './prepared-host.ts';

/** Seeds the agents and makes ready what a hub needs of the host. Rejects with a code of the store. */
export async function prepareHost(_options: HostOptions): Promise<PreparedHost> {
  throw new Error('not built yet');
}
