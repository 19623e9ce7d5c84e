import type { CommandContext } from '../../command-context.ts';
import { type DoctorFlags, examine } from '../../doctor/examine.ts';
import type { Finding } from '../../doctor/finding.ts';
import { nextStepOf } from '../../error-tables.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, safeLine } from '../../output/safe-text.ts';

/**
 * `fairlead doctor`: what keeps things from working, each with its cure. It starts no plugin and changes nothing; the init
 * scripts of `runner.toml` really run. Exit 0 when nothing failed, 1 otherwise.
 */
export async function doctor(
  context: CommandContext,
  flags: DoctorFlags & { readonly json?: boolean },
): Promise<number> {
  const findings = await Promise.all((await examine(context, flags)).map(withNextStep));
  const isWell = findings.every(({ level }) => level !== 'fail');
  if (flags.json === true) {
    context.stdout(jsonLine({ ok: isWell, findings: findings.map((finding) => ({ ...finding })) }));
  } else {
    for (const finding of findings) context.stdout(render(finding));
  }
  return isWell ? exitCodes.done : exitCodes.failed;
}

/** The cure of the place where it was found, else that of the code. */
async function withNextStep(finding: Finding): Promise<Finding> {
  if (finding.code === null) return finding;
  const general = await nextStepOf(finding.code);
  const isProviders = finding.next !== null && finding.code.startsWith('plugin_') && general !== null;
  return { ...finding, next: isProviders ? `${general} ${finding.next}` : (finding.next ?? general) };
}

function render({ level, check, what, code, next }: Finding): string {
  const mark = code === null ? '' : ` (${safeLine(code)})`;
  const cure = next === null ? '' : `      ${safeLine(next)}\n`;
  return `${level.padEnd(4)}  ${safeLine(check)}: ${safeLine(what)}${mark}\n${cure}`;
}
