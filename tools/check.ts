// check.ts [NAME ...]: runs the named static checks, or all of them.
import { checks, runChecks } from './checks.ts';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `unknown check: ${unknown.join(', ')}; there are ${checks.map((check) => check.name).join(', ')}\n`,
  );
  process.exit(2);
}
const chosen = names.length === 0 ? checks : checks.filter((check) => names.includes(check.name));
process.exitCode = (await runChecks(chosen)) ? 0 : 1;
