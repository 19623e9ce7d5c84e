import type { Extension } from '@fairlead/extension';
import { pathNormalizer } from './path-normalizer.ts';
import { securityWarnings } from './security-warnings.ts';

/** Every extension that comes with the host, in install order. A new one is a file of its own and a line here. */
export const allBuiltins: readonly Extension[] = [pathNormalizer, securityWarnings];
