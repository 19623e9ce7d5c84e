import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { settingsLimits } from '../limits.ts';

/** The settings of extensions as `fairlead.toml` has them: extension → key → value. */
export type SettingsTable = { readonly [extension: string]: JsonObject };

/** A variable that the file names and the environment does not have. */
interface MissingVariable {
  readonly extension: string;
  readonly key: string;
  readonly variable: string;
}

/** The file's settings with the values of variables in place. It lives in memory alone: never store, replicate or print it. */
export interface ResolvedSettings {
  readonly values: SettingsTable;
  /** Every value that came from the environment, for masking. */
  readonly secrets: readonly string[];
  readonly missing: readonly MissingVariable[];
}

const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * Reads what the file leaves to the environment: a string that is wholly `${NAME}`, at any depth. A setting whose variable is
 * missing is left out, so that what stands below it holds. Text around a variable is left as it is: `${NAME}` inside a longer
 * string is no variable.
 */
export function resolveSecrets(
  table: SettingsTable,
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedSettings {
  const secrets = new Set<string>();
  const missing: MissingVariable[] = [];
  const values: { [extension: string]: JsonObject } = {};
  for (const [extension, settings] of Object.entries(table)) {
    const resolved: [string, Json][] = [];
    for (const [key, value] of Object.entries(settings)) {
      const wanted: string[] = [];
      const filled = fill(value, 0, (variable) => {
        const found = environment[variable];
        if (found === undefined) wanted.push(variable);
        else if (found !== '') secrets.add(found);
        return found ?? '';
      });
      if (wanted.length === 0) resolved.push([key, filled]);
      for (const variable of wanted) missing.push({ extension, key, variable });
    }
    values[extension] = Object.fromEntries(resolved);
  }
  return { values, secrets: [...secrets], missing };
}

function fill(value: Json, depth: number, read: (variable: string) => string): Json {
  if (typeof value === 'string') {
    const [, variable] = VARIABLE.exec(value) ?? [];
    return variable === undefined ? value : read(variable);
  }
  if (typeof value !== 'object' || value === null || depth >= settingsLimits.maxDepth) return value;
  if (!isJsonObject(value)) return value.map((item) => fill(item, depth + 1, read));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fill(member, depth + 1, read)]),
  );
}
