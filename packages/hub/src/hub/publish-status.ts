import { statusSegments } from '../dispatch/fire-hooks.ts';
import { faultOf } from '../failures/fault.ts';
import type { LiveAgent } from '../live/live-agent.ts';
import type { LiveSession } from '../live/live-session.ts';
import type { LiveSets } from '../live/live-sets.ts';
import type { Outputs } from '../outputs/outputs.ts';
import type { Report } from '../report.ts';

/**
 * Asks what is live in a session for its status, and writes down what changed; an extension that is live there no more is taken out. Resolves
 * with how much that was. What cannot be written is reported, and is tried again the next time.
 */
export async function publishStatus(
  { sets, outputs, report }: { readonly sets: LiveSets; readonly outputs: Outputs; readonly report: Report },
  session: LiveSession,
  agent: LiveAgent | undefined,
): Promise<number> {
  using set = await sets.lease(session, agent);
  const segments = await statusSegments(set, { signal: session.signal });
  // One that closes meanwhile has nothing to show, and its rows are on their way out.
  if (session.isClosing) return 0;
  try {
    return await outputs.publish(session.id, segments);
  } catch (error) {
    const { reason } = faultOf(error, 'outputs_not_written');
    report({ code: 'outputs_not_written', scope: 'session', key: session.id, reason });
    return 0;
  }
}
