import type {
  FiredKind,
  FireOptions,
  HookDispatcher,
  HookTarget,
  OwnedMessage,
  OwnedSegments,
  OwnedText,
} from '@fairlead/extension/runtime';
import { type LiveSet, LiveSetLease } from '../live/live-set.ts';

/** Fires one kind of a live set once the contexts hold the settings of now. */
async function fire<T>(
  set: LiveSet,
  kind: FiredKind,
  run: (hooks: HookDispatcher, targets: readonly HookTarget[]) => T | Promise<T>,
): Promise<T> {
  const { fired, turn } = LiveSetLease.snapshotOf(set);
  const { targets, readiness } = fired[kind];
  const wait = turn.ready(readiness);
  if (wait !== undefined) await wait;
  return await run(turn.engine.hooks, targets);
}

/** Messages that extensions add before an agent's first model call, in firing order. */
export function fireBeforeAgentStart(set: LiveSet, options?: FireOptions): Promise<readonly OwnedMessage[]> {
  return fire(set, 'before_agent_start', (hooks, targets) => hooks.beforeAgentStart(targets, options));
}

/** Tells how a turn ended. */
export function fireAgentEnd(
  set: LiveSet,
  event: { readonly status: 'completed' | 'failed' | 'cancelled' },
): Promise<void> {
  return fire(set, 'agent_end', (hooks, targets) => hooks.agentEnd(targets, event));
}

export function fireSessionStart(set: LiveSet): Promise<void> {
  return fire(set, 'session_start', (hooks, targets) => hooks.sessionStart(targets));
}

export function fireSessionShutdown(set: LiveSet): Promise<void> {
  return fire(set, 'session_shutdown', (hooks, targets) => hooks.sessionShutdown(targets));
}

/** Blocks for the system prompt, in order; they see the names of the set's tools. */
export function promptBlocks(set: LiveSet, options?: FireOptions): Promise<readonly OwnedText[]> {
  return fire(set, 'prompt', (hooks, targets) =>
    hooks.prompt(targets, { tools: [...set.tools.keys()] }, options),
  );
}

/** Blocks behind the newest message, in order; they see the newest texts. */
export function tailBlocks(
  set: LiveSet,
  event: { readonly recent: readonly string[] },
  options?: FireOptions,
): Promise<readonly OwnedText[]> {
  return fire(set, 'tail', (hooks, targets) => hooks.tail(targets, event, options));
}

/** Segments of a status line, in order. */
export function statusSegments(set: LiveSet, options?: FireOptions): Promise<readonly OwnedSegments[]> {
  return fire(set, 'status', (hooks, targets) => hooks.status(targets, options));
}
