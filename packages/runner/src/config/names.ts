import { isLinkName, isProviderId, isProviderName, isToolName } from '@fairlead/protocol';
import type { TextRule } from './config-table.ts';

const RUNNER_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** A Runner's id names a folder of the state directory, so it holds nothing that a path could mean. */
export function isRunnerId(text: string): boolean {
  return RUNNER_ID.test(text);
}

function rule(allows: (text: string) => boolean, described: string): TextRule {
  return (text) => (allows(text) ? null : `must be ${described}`);
}

const SHORT_LINE = 'one line of 1 to 128 bytes without control characters, not blank';

/** The rules for names that leave this machine; each is what the link accepts. */
export const nameRules = {
  runnerId: rule(isRunnerId, '1 to 128 letters, digits, _ . - and begin with a letter or digit'),
  linkName: rule(isLinkName, SHORT_LINE),
  providerId: rule(isProviderId, '1 to 64 lower-case letters, digits, _ . -'),
  providerName: rule(isProviderName, '1 to 128 bytes without control characters, not blank'),
  toolName: rule(isToolName, 'a tool name: 1 to 128 letters, digits, _ . -'),
} as const;
