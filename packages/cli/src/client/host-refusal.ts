import { FairleadError, type JsonObject } from '@fairlead/base';
import type { HostErrorCode } from '@fairlead/host';

/** What a host would refuse something with, where the command knows it first; `what` stands behind its message. */
export async function hostRefusal(
  code: HostErrorCode,
  what = '',
  detail?: JsonObject,
): Promise<FairleadError> {
  // Most commands never need it, and a host is large.
  const { hostErrors } = await import('@fairlead/host');
  const { message } = hostErrors[code];
  const said = what === '' ? message : `${message} (${what})`;
  return new FairleadError(code, said, detail === undefined ? {} : { detail });
}
