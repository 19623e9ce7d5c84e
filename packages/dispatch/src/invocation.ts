import type { Certainty, JsonObject } from '@fairlead/base';
import type { InvocationError } from './invocation-error.ts';
import type { Scope } from './scopes.ts';

/**
 * How an invocation ended. `output` and `error` stand together in one case: `journal_unsettled` with `completed`, where the
 * tool's own result must not be lost. `failureKind`: the provider said `isError`; its result is the output.
 */
export type Invocation = {
  /** The journal's id, once there is a row. */
  readonly call?: string;
  /** What was asked for: the action of `plugin_tool`, else the name of the tool. */
  readonly action?: string;
  readonly certainty: Certainty;
  readonly output?: JsonObject;
  /** The output is a provider's own result and is handed on unchanged. */
  readonly isProviderResult?: true;
  /** The output is `{text, structured?}` of a tool of a session. */
  readonly isSessionTool?: true;
  /** Otherwise: one fixed sentence about the output, for faces that need words beside it. */
  readonly summary?: string;
  /** The sidecars that were asked for, by name. */
  readonly context?: JsonObject;
  readonly error?: InvocationError;
  readonly failureKind?: 'plugin_tool_error' | 'tool_error';
  /** With `insufficient_scope`: the scope that is missing. */
  readonly needsScope?: Scope;
};
