/** What a line adds to its event. */
export type RunnerLogFields = { readonly [name: string]: string | number | boolean };

/**
 * Where a Runner writes what happens: `event` is a fixed word with a dot, such as `provider.ready`. Never a token, an
 * argument, a command, a path, an environment value, a pid or a plugin's own text.
 */
export type RunnerLog = (level: 'info' | 'warn' | 'error', event: string, fields?: RunnerLogFields) => void;
