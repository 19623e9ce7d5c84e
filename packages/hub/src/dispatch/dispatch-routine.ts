import { failed, type Json, type Outcome } from '@fairlead/base';
import {
  budgets,
  type CallOutcome,
  carryCall,
  extensionErrors,
  plainJson,
} from '@fairlead/extension/runtime';
import { hubErrors } from '../errors.ts';
import { faultOf } from '../failures/fault.ts';
import type { Installed } from '../install/installed.ts';
import type { Roster } from '../install/roster.ts';
import type { Instances } from '../instances/instances.ts';
import type { InstanceScope, LiveInstance } from '../instances/live-instance.ts';
import { capProviders } from '../live/cap-providers.ts';
import type { Engine } from '../live/engine.ts';
import type { LiveAgent } from '../live/live-agent.ts';
import type { LiveSession } from '../live/live-session.ts';
import { LiveSetLease } from '../live/live-set.ts';
import type { LiveSets } from '../live/live-sets.ts';
import { World } from '../live/world.ts';
import { eitherSignal } from './either-signal.ts';
import { refusalOf } from './refusal.ts';

/** Where a routine fires. */
export type RoutinePlace =
  | { readonly kind: 'global' }
  | { readonly kind: 'agent'; readonly agent: LiveAgent }
  | { readonly kind: 'session'; readonly session: LiveSession };

export interface RoutineRequest {
  /** The extension's name. */
  readonly extension: string;
  /** The routine's id. */
  readonly routine: string;
  readonly place: RoutinePlace;
  readonly payload: Json;
  readonly signal?: AbortSignal;
}

export interface RoutineParts {
  readonly engine: Engine;
  readonly roster: Pick<Roster, 'get' | 'failed'>;
  readonly instances: Pick<Instances, 'ensure' | 'of' | 'failureOf' | 'pin'>;
  readonly sets: LiveSets;
}

/**
 * Fires a routine: instantiates the scope that it targets, then calls the handler. The active set is not asked: what a routine causes is
 * guarded, not its firing. Never rejects. `extension_unknown`, `routine_no_handler` and a scope that cannot be instantiated are
 * `not_started`; what the handler throws is its fault.
 */
export async function dispatchRoutine(
  parts: RoutineParts,
  request: RoutineRequest,
): Promise<CallOutcome<Json>> {
  const { roster } = parts;
  const meant = roster.get(request.extension);
  const outcome = await dispatchTo(meant, parts, request);
  const now = roster.get(request.extension);
  // Whoever fires it names no generation: where it was reloaded before anything ran, the new one is meant.
  if (outcome.certainty !== 'not_started' || now === undefined || now === meant) return outcome;
  return await dispatchTo(now, parts, request);
}

async function dispatchTo(
  installed: Installed | undefined,
  parts: RoutineParts,
  request: RoutineRequest,
): Promise<CallOutcome<Json>> {
  const { roster, instances } = parts;
  const { extension: name, place } = request;
  if (installed === undefined)
    return unknown(
      name,
      roster.failed().find((one) => one.name === name),
    );
  if (place.kind === 'session' && place.session.isClosing)
    return failed('not_started', 'session_not_open', hubErrors.session_not_open.message);
  if (!installed.manifest.routines.some(({ id, scope }) => id === request.routine && scope === place.kind))
    return noHandler(request);
  const scope = scopeOf(place);
  const session = place.kind === 'session' ? place.session : undefined;
  const release = scope === 'global' ? undefined : instances.pin(scope);
  session?.enter();
  try {
    await instances.ensure(scope, new Set([name]));
    const instance = instances.of(scope).find(({ extension }) => extension === installed);
    if (instance === undefined) return notLive(installed, instances.failureOf(name, scope));
    return await fire(parts, request, instance);
  } catch (error) {
    // Only what comes before the handler rejects: reading what is live where it fires.
    const { code, reason } = faultOf(error, 'session_not_open');
    return failed('not_started', code, reason);
  } finally {
    session?.leave();
    release?.();
  }
}

async function fire(
  parts: RoutineParts,
  request: RoutineRequest,
  instance: LiveInstance,
): Promise<CallOutcome<Json>> {
  const { engine, sets } = parts;
  const { routine, place, payload, signal } = request;
  const prepared = sets.prepared.of(instance);
  if (prepared === undefined)
    return failed('not_started', 'extension_ended', extensionErrors.extension_ended.message);
  if (!prepared.contributions.routines.some(({ id }) => id === routine)) return noHandler(request);
  const input = plainJson(payload);
  if (!input.ok) return failed('not_started', 'frame_too_large', `the payload ${input.message}`);
  const world = await worldOf(parts, place);
  const cell = world.cell(prepared);
  const wait = world.refresh(cell);
  if (wait !== undefined) await wait;
  const refusal = refusalOf(instance, cell.fault);
  if (refusal !== undefined) return failed('not_started', refusal.code, refusal.message);
  const budgetMs = budgets.routineMs;
  const deadlineMs = engine.clock.monotonicMs() + budgetMs;
  const call = {
    call: engine.nextCall(),
    instance: instance.id,
    endpoint: 'routine' as const,
    name: routine,
    input: input.value,
    context: cell.begin({ deadlineMs, onProgress: undefined }),
  };
  return await carryCall(instance.extension.carrier, call, {
    wheel: engine.wheel,
    budgetMs,
    timeoutCode: 'routine_timeout',
    signal: place.kind === 'session' ? eitherSignal(signal, place.session.signal) : signal,
  });
}

/** In a session the caps are those of its live set; elsewhere those of everything that lives there. */
async function worldOf({ engine, instances, sets }: RoutineParts, place: RoutinePlace): Promise<World> {
  if (place.kind === 'session') {
    using set = await sets.lease(place.session, undefined);
    return LiveSetLease.snapshotOf(set).turn;
  }
  const agent = place.kind === 'agent' ? place.agent : undefined;
  const living = [...instances.of('global'), ...(agent === undefined ? [] : instances.of(agent.scope))]
    .sort((one, other) => one.extension.order - other.extension.order)
    .map((instance) => sets.prepared.of(instance))
    .filter((prepared) => prepared !== undefined);
  return new World({ engine, caps: capProviders(living), agent });
}

function scopeOf(place: RoutinePlace): InstanceScope {
  if (place.kind === 'global') return 'global';
  return place.kind === 'agent' ? place.agent.scope : place.session.scope;
}

function noHandler({ extension, routine }: RoutineRequest): Outcome<never> {
  const { message } = extensionErrors.routine_no_handler;
  return failed('not_started', 'routine_no_handler', `${message} (${extension}: ${routine})`);
}

function unknown(
  name: string,
  known: { readonly code: string; readonly reason: string } | undefined,
): Outcome<never> {
  if (known !== undefined) return failed('not_started', known.code, known.reason);
  return failed('not_started', 'extension_unknown', `${hubErrors.extension_unknown.message} (${name})`);
}

function notLive(
  { gone }: Installed,
  failure: { readonly code: string; readonly reason: string } | undefined,
): Outcome<never> {
  const { code, reason } = gone ??
    failure ?? { code: 'extension_ended', reason: extensionErrors.extension_ended.message };
  return failed('not_started', code, reason);
}
