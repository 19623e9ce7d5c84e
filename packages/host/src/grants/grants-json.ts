import type { JsonObject } from '@fairlead/base';
import type { Grants } from './grants.ts';

/** Grants as `readGrants` reads them, for people and records. */
export function grantsJson({ shell, network, fs }: Grants): JsonObject {
  return {
    ...(shell === undefined ? {} : { shell: listsOf(shell) }),
    ...(network === undefined
      ? {}
      : {
          network: {
            allow_private: network.allowPrivate,
            ...(network.endpoints === undefined ? {} : { endpoints: network.endpoints.map(endpointJson) }),
          },
        }),
    ...(fs === undefined ? {} : { fs: listsOf(fs) }),
  };
}

function endpointJson({
  host,
  pathPrefix,
  methods,
}: NonNullable<NonNullable<Grants['network']>['endpoints']>[number]) {
  return {
    host,
    ...(pathPrefix === undefined ? {} : { path_prefix: pathPrefix }),
    ...(methods === undefined ? {} : { methods: [...methods] }),
  };
}

function listsOf(grant: object): JsonObject {
  return structuredClone(grant) as JsonObject;
}
