import {
  type Carrier,
  type CompiledSchema,
  compileSchema,
  type Manifest,
  manifestFaultText,
  validateManifest,
} from '@fairlead/extension/runtime';
import { hubErrors } from '../errors.ts';
import { cutReason, type Fault } from '../failures/fault.ts';
import type { ExtensionSource } from './extension-source.ts';

/** A manifest that may be installed, with its settings ready to parse, or why not. */
export type GenerationReading =
  | { readonly ok: true; readonly manifest: Manifest; readonly settings: CompiledSchema }
  | ({ readonly ok: false } & Fault);

/** Reads what a started generation says of itself; it is not trusted to be what its type says. */
export function readGeneration(source: ExtensionSource, carrier: Carrier): GenerationReading {
  const reading = validateManifest(carrier.manifest);
  if (!reading.ok)
    return { ok: false, code: reading.fault.code, reason: cutReason(manifestFaultText(reading.fault)) };
  const { manifest } = reading;
  if (manifest.name !== source.ref.name)
    return {
      ok: false,
      code: 'manifest_mismatch',
      reason: cutReason(
        `${hubErrors.manifest_mismatch.message} (it calls itself ${manifest.name}, and was installed as ${source.ref.name})`,
      ),
    };
  const settings = compileSchema(manifest.settings);
  // The validation has compiled it before.
  if (!settings.ok) return { ok: false, code: 'manifest_invalid', reason: settings.fault.message };
  return { ok: true, manifest, settings: settings.schema };
}
