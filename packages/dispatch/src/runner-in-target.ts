/**
 * A Runner's id as it stands in a target, such as `plugin:<runner>/<plugin>/<tool>#…`. It may hold a slash, so `%` and `/` are written `%25`
 * and `%2F`: no id is taken for the beginning of another.
 */
export function runnerInTarget(runner: string): string {
  return runner.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** The Runner that a target names; undefined where it names none. */
export function runnerOfTarget(target: string): string | undefined {
  const [, runner] = /^(?:plugin|runner):([^/]+)\//.exec(target) ?? [];
  return runner?.replaceAll('%2F', '/').replaceAll('%25', '%');
}
