import { type JsonObject, singleLine } from '@fairlead/base';
import type { RunnerRequest } from '@fairlead/protocol';
import { done, type Ending } from '../invocation/ending.ts';
import { pluginsOf } from './provider-rows.ts';
import type { PayloadOf } from './runner-answer.ts';

type CheckRequest = Extract<RunnerRequest, { readonly kind: 'check' }>;
type ReloadRequest = Extract<RunnerRequest, { readonly kind: 'reload' }>;

/** What the journal shows for a reload that changed nothing because candidates failed. */
export const RELOAD_FAILED = 'plugin_reload_failed';

/** What the journal calls a reload of the whole configuration, too. */
export const RELOAD_RUNNER_CONFIG = 'reload_runner_config';

/** A check's report as callers see it. */
export function checkOutput(runner: string, payload: PayloadOf<CheckRequest>): JsonObject {
  const { provider, ready, phase, tools, code, detail, diagnostic } = payload;
  return {
    runner,
    plugin: provider,
    ready,
    phase,
    toolCount: tools.length,
    tools,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail: singleLine(detail) }),
    ...(diagnostic === undefined ? {} : { diagnostic }),
  };
}

/** What a reload came to, as callers see it. */
export function reloadOutput(runner: string, payload: PayloadOf<ReloadRequest>): JsonObject {
  return { runner, plugins: pluginsOf(payload.providers), failures: payload.failures };
}

/** What a reload of the configuration came to, as callers see it. */
export function configReloadEnding(
  runner: string,
  payload: PayloadOf<{ readonly kind: 'config_reload' }>,
): Ending {
  const { generation, applied, changed, changed_count, plugins_restarted, providers, failures } = payload;
  if (failures.length > 0)
    return { certainty: 'completed', code: 'plugin_reload_failed', detail: { generation, failures } };
  return done({
    runner,
    generation,
    applied,
    changed,
    changedCount: changed_count,
    pluginsRestarted: plugins_restarted,
    plugins: pluginsOf(providers),
  });
}
