import { writeFile } from 'node:fs/promises';

/** One provider of a `runner.toml`: the arguments of a Node that runs it. */
export type BenchProvider = {
  readonly id: string;
  readonly args: readonly string[];
  /** Calls that may wait while one is in flight; none where it is absent. */
  readonly maxQueued?: number;
};

/** Writes a `runner.toml` whose providers are Node programs, started in `cwd`. */
export async function writeRunnerConfig(
  path: string,
  options: { readonly runner: string; readonly cwd: string; readonly providers: readonly BenchProvider[] },
): Promise<void> {
  const tables = options.providers.map(({ id, args, maxQueued }) =>
    [
      '[[plugins.providers]]',
      `id = ${quoted(id)}`,
      `name = ${quoted(id)}`,
      `command = ${quoted(process.execPath)}`,
      `args = [${args.map(quoted).join(', ')}]`,
      `cwd = ${quoted(options.cwd)}`,
      ...(maxQueued === undefined ? [] : [`max_queued = ${maxQueued}`]),
    ].join('\n'),
  );
  await writeFile(path, `${[`client_id = ${quoted(options.runner)}`, ...tables].join('\n\n')}\n`);
}

/** A TOML basic string: JSON's escapes are among TOML's. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
