import type { FairleadError } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import { hostError } from '../errors.ts';
import type { TurnClaim } from './turn-claim.ts';

const WHY = 'SELECT reason FROM wakes WHERE session = ? AND entry = ? AND agent = ? LIMIT 1';

/** Why no turn will answer what was claimed: nobody waits for it any more, because of something that happened elsewhere. */
export async function goneReason(
  store: Store,
  session: string,
  { entry, agent }: TurnClaim,
): Promise<FairleadError> {
  const [row] = await store.read<{ reason: string | null }>(WHY, [session, entry, agent]);
  const reason = row?.reason ?? 'not waiting';
  if (reason === 'session_closed' || reason === 'agent_not_attached') return hostError(reason);
  return hostError('turn_cancelled', reason);
}
