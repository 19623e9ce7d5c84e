/** The rules of a manifest. The shape comes first, then those that manifests have had from the beginning, in this order; the rest follow. */
export const MANIFEST_CHECKS = Object.freeze([
  'shape',
  'empty_name',
  'host_only_in_provides',
  'duplicate_provides',
  'duplicate_hook',
  'duplicate_request',
  'required_and_requested',
  'name',
  'scopes',
  'hooks',
  'gates',
  'capability',
  'settings',
  'tools',
  'commands',
  'routines',
] as const);

/** Which rule a manifest breaks. */
export type ManifestCheck = (typeof MANIFEST_CHECKS)[number];

/** Why a manifest is refused: the code, the rule, the place as a JSON Pointer, and words that go on after the place. */
export interface ManifestFault {
  readonly code: 'manifest_invalid' | 'api_unsupported';
  readonly check: ManifestCheck;
  readonly path: string;
  readonly message: string;
}

/** A manifest's fault as one line. */
export function manifestFaultText({ check, path, message }: ManifestFault): string {
  return `${check}: ${path === '' ? 'the manifest' : path} ${message}`;
}

/** Thrown between the parts of the validation, never out of it. */
export class Broken extends Error {
  readonly fault: ManifestFault;

  constructor(
    check: ManifestCheck,
    path: string,
    message: string,
    code: ManifestFault['code'] = 'manifest_invalid',
  ) {
    super(message);
    this.fault = { code, check, path, message };
  }
}
