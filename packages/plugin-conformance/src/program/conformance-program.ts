import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { timeoutLimits } from '@fairlead/protocol';
import { callRequestOf } from '../checks/call-request.ts';
import type { CallRequest } from '../checks/run.ts';
import { reportJson, reportText } from '../report/report-text.ts';
import { runConformance } from '../run-conformance.ts';

/** What the program touches of its process. */
export type ProgramWorld = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the pages that a report points at. */
  readonly pages: string;
  stdout(text: string): void;
  stderr(text: string): void;
};

const EXIT = { passed: 0, failed: 1, notLookedAt: 2 } as const;

const USAGE = `usage: fairlead-plugin-conformance [--call TOOL=JSON]… [--cwd FOLDER] [--timeout-secs N] [--json] -- COMMAND [ARG…]

Starts COMMAND several times as a Runner does and holds it against every clause of the plugin wire. Tools that are annotated
as read-only are called, others where --call names them.
Exit status: 0 nothing failed · 1 something failed · 2 it could not be started, a --call could not be made, or the command
line is wrong
`;

/** `fairlead-plugin-conformance`: the kit for people who have no clone of Fairlead. Resolves with the exit status. */
export async function conformanceProgram(words: readonly string[], world: ProgramWorld): Promise<number> {
  const read = readWords(words);
  if (read.kind === 'help') world.stdout(USAGE);
  if (read.kind === 'wrong') world.stderr(`${read.why}\n\n${USAGE}`);
  if (read.kind !== 'run') return read.kind === 'help' ? EXIT.passed : EXIT.notLookedAt;
  const { command, args, cwd, calls, timeoutSecs, json } = read;
  const report = await runConformance({
    plugin: { command, args, cwd: resolve(world.cwd, cwd), env: world.env },
    calls,
    timeoutMs: timeoutSecs * 1000,
  });
  if (!report.ok) {
    world.stderr(`the program could not be started: ${report.localDetail} (${report.code})\n`);
    return EXIT.notLookedAt;
  }
  const { pages } = world;
  world.stdout(json ? `${JSON.stringify(reportJson(report, { pages }))}\n` : reportText(report, { pages }));
  if (!report.passed) return EXIT.failed;
  return report.notMade.length > 0 ? EXIT.notLookedAt : EXIT.passed;
}

type Read =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly why: string }
  | {
      readonly kind: 'run';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      readonly calls: readonly CallRequest[];
      readonly timeoutSecs: number;
      readonly json: boolean;
    };

function readWords(words: readonly string[]): Read {
  const dashes = words.indexOf('--');
  const own = words.slice(0, dashes < 0 ? words.length : dashes);
  const [command, ...args] = words.slice(own.length + 1);
  const flags = readFlags(own);
  if (typeof flags === 'string') return { kind: 'wrong', why: flags };
  const { help, call = [], cwd = '.', json = false, 'timeout-secs': timeout } = flags;
  if (help === true) return { kind: 'help' };
  if (command === undefined) return { kind: 'wrong', why: 'what follows -- is the program to look at' };
  const calls = call.map(callRequestOf);
  if (!calls.every((one) => one !== null))
    return { kind: 'wrong', why: '--call takes TOOL=JSON, the JSON being an object of arguments' };
  const timeoutSecs = timeout === undefined ? timeoutLimits.defaultSecs : Number(timeout);
  if (!Number.isInteger(timeoutSecs) || timeoutSecs < 1 || timeoutSecs > timeoutLimits.maxSecs)
    return { kind: 'wrong', why: `--timeout-secs takes 1 to ${timeoutLimits.maxSecs}` };
  return { kind: 'run', command, args, cwd, calls, timeoutSecs, json };
}

/** The flags, or why they are none. */
function readFlags(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        call: { type: 'string', multiple: true },
        cwd: { type: 'string' },
        'timeout-secs': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
