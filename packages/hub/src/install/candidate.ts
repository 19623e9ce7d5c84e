import type { Manifest } from '@fairlead/extension/runtime';
import { hubErrors } from '../errors.ts';
import type { Fault } from '../failures/fault.ts';
import type { ExtensionSource } from './extension-source.ts';
import type { Generation } from './generation.ts';
import { unmetNeeds } from './unmet-needs.ts';

/** One source on its way in, and what is known of it so far. */
export type Candidate = Standing | Refused;

/** It was started, and nothing speaks against it. */
interface Standing {
  readonly source: ExtensionSource;
  readonly order: number;
  readonly ok: true;
  readonly generation: Generation;
}

/** It cannot be installed. Where it was started, its `generation` is to be ended. */
export interface Refused extends Fault {
  readonly source: ExtensionSource;
  readonly order: number;
  readonly ok: false;
  readonly generation?: Generation;
}

/**
 * Holds candidates against each other and against what is installed: one whose required cap nobody provides is refused, alone.
 *
 * @param waiting Manifests of those that were refused before for a cap: they may come with what they wait for.
 */
export function judge(
  candidates: readonly Candidate[],
  inForce: readonly Manifest[],
  waiting: readonly Manifest[],
): readonly Candidate[] {
  const fresh = candidates.flatMap((one) => (one.ok ? [one.generation.manifest] : []));
  const unmet = unmetNeeds([...fresh, ...waiting], inForce);
  return candidates.map((one) => {
    const missing = one.ok ? unmet.get(one.source.ref.name) : undefined;
    return missing === undefined ? one : { ...one, ok: false, ...capabilityMissing(missing) };
  });
}

function capabilityMissing(what: string): Fault {
  return { code: 'capability_missing', reason: `${hubErrors.capability_missing.message} (${what})` };
}
