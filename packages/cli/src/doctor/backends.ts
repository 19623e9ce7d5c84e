import { type Finding, ill, well } from './finding.ts';

/** What was seen of one back end. Never a key. */
export type SeenBackend = {
  readonly name: string;
  /** `base_url`, or the file of a script. */
  readonly place: string;
  /** The variable that holds the key, and whether it is set where the doctor runs; null where it needs none. */
  readonly key: { readonly variable: string; readonly isSet: boolean } | null;
  /** HTTP status of an answer without a key, whatever it was; or why there was none. A script: whether it can be used. */
  readonly answer:
    | { readonly kind: 'http'; readonly status: number }
    | { readonly kind: 'script' }
    | {
        readonly kind: 'none';
        readonly code: 'model_unreachable' | 'script_invalid';
        readonly reason: string;
      };
};

/** Whether each back end of `fairlead.toml` can be reached, and the variable of its key is set. */
export function checkBackends(backends: readonly SeenBackend[]): Finding[] {
  if (backends.length === 0) {
    const what = 'fairlead.toml names no model: no agent can answer';
    return [ill('warn', { check: 'models', what, code: 'model_missing' })];
  }
  return backends.flatMap((backend) => [...keyFindings(backend), reachFinding(backend)]);
}

function keyFindings({ name, key }: SeenBackend): Finding[] {
  if (key === null || key.isSet) return [];
  const what = `${key.variable}, which holds its key, is not set in this shell`;
  return [ill('warn', { check: `model ${name}`, what, code: 'model_key_missing' })];
}

function reachFinding({ name, place, key, answer }: SeenBackend): Finding {
  const check = `model ${name}`;
  if (answer.kind === 'script') return well(check, `its script ${place} can be used`);
  if (answer.kind === 'none')
    return ill('fail', { check, what: `${place}: ${answer.reason}`, code: answer.code });
  const hint = key?.isSet === true ? `; its key stands in ${key.variable}` : '';
  return well(check, `something answers at ${place} (HTTP ${answer.status} without a key)${hint}`);
}
