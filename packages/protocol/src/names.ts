import { hasControlCharacter } from '@fairlead/base';
import { catalogLimits, linkLimits, providerLimits } from './limits.ts';

// Which texts may name things. Bounds: docs/reference/native-plugin-protocol.md §6.

const PROVIDER_ID = /^[a-z0-9_.-]+$/;
const TOOL_NAME = /^[A-Za-z0-9_.-]+$/;
const CODE = /^[a-z0-9_]+$/;
const OPAQUE_ID = /^[A-Za-z0-9_-]+$/;
const BREAKS = /[\t\r\n]/;

/** A provider's id: 1..64 lower-case letters, digits, `_`, `.`, `-`. */
export function isProviderId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= providerLimits.idMaxBytes && PROVIDER_ID.test(value);
}

/** A provider's display name: 1..128 bytes, not blank, no control characters but TAB, LF and CR. */
export function isProviderName(value: unknown): value is string {
  return isText(value, 1, providerLimits.nameMaxBytes) && value.trim() !== '';
}

/** A tool's name: 1..128 ASCII letters, digits, `_`, `.`, `-`. */
export function isToolName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= catalogLimits.toolNameMaxBytes && TOOL_NAME.test(value);
}

/** A tool's title: 1..128 bytes, no control characters but TAB, LF and CR. */
export function isToolTitle(value: unknown): value is string {
  return isText(value, 1, catalogLimits.titleMaxBytes);
}

/** A tool's description: at most 4,096 bytes, may be empty, no control characters but TAB, LF and CR. */
export function isToolDescription(value: unknown): value is string {
  return isText(value, 0, catalogLimits.descriptionMaxBytes);
}

/** A Runner's id or name, or a project's: one line of 1..128 bytes, not blank. */
export function isLinkName(value: unknown): value is string {
  return isText(value, 1, linkLimits.nameMaxBytes) && value.trim() !== '' && !BREAKS.test(value);
}

/** An error code: 1..80 of `[a-z0-9_]`. */
export function isCode(value: unknown): value is string {
  return typeof value === 'string' && value.length <= linkLimits.codeMaxLength && CODE.test(value);
}

/** An id that only its maker can read: 1..128 base64url characters. */
export function isOpaqueId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= linkLimits.nameMaxBytes && OPAQUE_ID.test(value);
}

/** A text of `minBytes` to `maxBytes` in UTF-8 without control characters but TAB, LF and CR. */
export function isText(value: unknown, minBytes: number, maxBytes: number): value is string {
  return (
    typeof value === 'string' &&
    value.length >= minBytes &&
    value.length <= maxBytes &&
    Buffer.byteLength(value) <= maxBytes &&
    !hasControlCharacter(value)
  );
}
