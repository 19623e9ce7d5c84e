import type { Outcome } from '@fairlead/base';
import type { RunnerPayload, RunnerRequest } from '@fairlead/protocol';

/** The capability of a Runner that answers plugin requests. */
export const PLUGIN_CAPABILITY = 'native_tool_plugins';

/** A project on a Runner's machine. Its id is the Runner's own; where it lies is told to nobody. */
export type VisibleProject = { readonly id: string; readonly name: string; readonly kind: string };

/** A Runner that is connected now. `instanceId` is new with every start of its process. */
export type VisibleRunner = {
  readonly runner: string;
  readonly name?: string;
  readonly instanceId: string;
  readonly capabilities: readonly string[];
  /** Each id once. */
  readonly projects: readonly VisibleProject[];
};

/** How long a request may take in all, in milliseconds, and the journal's id of the invocation it serves. */
export type RunnerRequestOptions = { readonly budgetMs: number; readonly call?: string };

/** The way to the Runners, implemented by the gateway. */
export type RunnerPort = {
  /** The Runners that are connected now, whoever may use them. */
  runners(): readonly VisibleRunner[];
  /**
   * Sends one request to exactly that instance, once, and answers within the budget. Faults of its own:
   * `runner_unavailable` (`not_started` when it was not handed to the socket or the instance is gone, `outcome_unknown`
   * after), `plugin_gateway_unavailable` (the queue is full, `not_started`), `plugin_gateway_timeout` (`not_started`
   * while it waits in the queue, `outcome_unknown` after), `invalid_plugin_response` (`outcome_unknown`): what came back has no form
   * of an answer, is past its bounds, of another kind, or about something else. Anything else is the Runner's answer: it has form and
   * belongs to the request, what it says is not trusted here.
   */
  request(
    runner: string,
    instanceId: string,
    request: RunnerRequest,
    options: RunnerRequestOptions,
  ): Promise<Outcome<RunnerPayload>>;
};

/** What can be heard of the Runners without asking. Both are called in the middle of what the link does: they return at once. */
export type RunnerListener = {
  /** This process has registered, for the first time or again; requests to it are taken from now on. */
  registered(runner: VisibleRunner): void;
  /** A call that this process was asked for and answered `running` has ended, it says. Not trusted here. */
  ended(runner: VisibleRunner, call: string): void;
};

/** Where the Runners can be heard, implemented by the gateway. */
export type RunnerEvents = {
  /** Adds a listener; the function that comes back takes it away again. */
  listen(listener: RunnerListener): () => void;
};
