import type { Json } from '@fairlead/base';

/** What stands in `error` of an answer: our own words for a code, what to do next, and what the code adds. */
export type InvocationError = {
  readonly code: string;
  readonly message: string;
  readonly recovery?: string;
  readonly detail?: Json;
};
