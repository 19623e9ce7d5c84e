import { pluginTarget } from '../arguments-digest.ts';

/** What a binding stands for: one observation of one tool of one live provider instance. */
export type Observed = {
  readonly runner: string;
  readonly runnerInstance: string;
  readonly plugin: string;
  readonly providerInstance: string;
  readonly tool: string;
  readonly observation: string;
  readonly timeoutSecs: number;
  /** The name of all of the above in digests and approvals. */
  readonly target: string;
};

/** An observation with its target, which follows from the rest. */
export function observed(parts: Omit<Observed, 'target'>): Observed {
  return Object.freeze({ ...parts, target: pluginTarget(parts) });
}
