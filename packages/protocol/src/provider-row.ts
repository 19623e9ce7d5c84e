import { z } from 'zod';
import { providerLimits } from './limits.ts';
import { isCode, isProviderId, isProviderName } from './names.ts';

/** Whether a provider may be called: still being admitted, admitted, or ended with a code. */
export type ProviderStatus = 'starting' | 'ready' | 'failed';

/** One configured provider. `error_code` stands exactly where the status is `failed`. */
export type ProviderRow = {
  readonly id: string;
  readonly name: string;
  readonly status: ProviderStatus;
  readonly error_code: string | null;
};

/** The members that say how a provider is. */
export const statusWithCode = {
  status: z.enum(['starting', 'ready', 'failed']),
  error_code: z.custom<string>(isCode).nullable(),
};

/** True where the two agree. */
export function codeExactlyWhenFailed(row: {
  readonly status: string;
  readonly error_code: string | null;
}): boolean {
  return (row.status === 'failed') === (row.error_code !== null);
}

/** The providers of one Runner as they stand on the link. */
export const providerRows = z
  .array(
    z
      .strictObject({
        id: z.custom<string>(isProviderId),
        name: z.custom<string>(isProviderName),
        ...statusWithCode,
      })
      .refine(codeExactlyWhenFailed),
  )
  .max(providerLimits.maxProviders);
