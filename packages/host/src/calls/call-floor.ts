import type { Random } from '@fairlead/base';
import type { DigestKey, Journal } from '@fairlead/dispatch';
import type { Hub } from '@fairlead/hub';
import type { Approvals } from '../approvals/approvals.ts';
import type { LinkReader } from '../grants/real-path.ts';
import type { LeakDetector } from '../leaks/leak-detector.ts';
import type { RateLimiter } from '../policy/rate-limiter.ts';
import type { PolicySettings } from '../policy/read-policy.ts';
import type { HostState } from '../sessions/host-state.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import type { RunningCalls } from './running-calls.ts';
import type { ToolTouches } from './tool-touches.ts';

/** What tool calls of sessions work with; one for the host. */
export interface CallFloor extends SessionFloor {
  readonly hub: Hub;
  readonly journal: Journal;
  readonly approvals: Approvals;
  readonly state: HostState;
  /** `[policy] authority` as it stands in the configuration. */
  readonly authority: string;
  readonly policy: PolicySettings;
  readonly rates: RateLimiter;
  readonly leaks: LeakDetector;
  readonly digestKey: DigestKey;
  readonly links: LinkReader;
  readonly random: Random;
  readonly ledger: UsageLedger;
  readonly touches: ToolTouches;
  readonly running: RunningCalls;
  /** What tools never touch, but for workspaces in it. */
  readonly stateDirectory?: string;
}
