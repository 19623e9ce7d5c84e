import type { JsonObject, Random } from '@fairlead/base';
import type { DigestKey, Journal, JournalEntry } from '@fairlead/dispatch';
import type { Hub, LiveTool } from '@fairlead/hub';
import type { Approvals } from '../approvals/approvals.ts';
import type { EntryTier } from '../entries/entry.ts';
import type { LinkReader } from '../grants/real-path.ts';
import type { LeakDetector } from '../leaks/leak-detector.ts';
import type { RateLimiter } from '../policy/rate-limiter.ts';
import type { PolicySettings } from '../policy/read-policy.ts';
import type { HostState } from '../sessions/host-state.ts';
import type { OwedWrites } from '../sessions/owed-writes.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import type { RunningCalls } from './running-calls.ts';
import type { ToolTouches } from './tool-touches.ts';

/** A Runner's process and a tool there. */
export type CallAddress = Required<Pick<JournalEntry, 'runner' | 'runnerInstance' | 'plugin' | 'tool'>>;

/** The tool behind a call, in the words of entries and approvals. */
export interface StandsFor {
  readonly tier: EntryTier;
  readonly target: string;
  /** What is shown of the call: no handle. */
  readonly arguments: JsonObject;
  /** What is digested with the target. */
  readonly digested: JsonObject;
  /** Whom its row in the journal is addressed to, so that an unknown end can be asked for later. */
  readonly address?: CallAddress;
}

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
  /** Ends of its calls and turns that the disk did not take. */
  readonly owed: OwedWrites;
  /** What a call stands for that calls another program's tool by a handle; undefined for any other. */
  readonly standsFor?: (tool: LiveTool, args: JsonObject) => StandsFor | undefined;
  /** What tools never touch, but for workspaces in it. */
  readonly stateDirectory?: string;
}
