import { FairleadError, type Json } from '@fairlead/base';
import { type CliErrorCode, cliErrors } from './errors.ts';

/** An error of the command's own table; `message` says more than the table's sentence where there is more to say. */
export function cliError(
  code: CliErrorCode,
  options: { readonly message?: string; readonly detail?: Json; readonly cause?: unknown } = {},
): FairleadError {
  const { message = cliErrors[code].message, detail, cause } = options;
  return new FairleadError(code, message, { cause, ...(detail === undefined ? {} : { detail }) });
}
