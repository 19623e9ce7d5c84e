import {
  type CheckPhase,
  type CheckReport,
  type Diagnostic,
  type FrozenCatalog,
  REPORT_DETAIL_MAX_BYTES,
} from '@fairlead/protocol';
import { describeCode } from '../describe-code.ts';

/** What each phase was about to do, in the words of a report. */
const ATTEMPTS: Readonly<Record<CheckPhase, string>> = {
  config: 'reading runner.toml',
  environment: "preparing the plugin's environment",
  executable: "finding the plugin's executable",
  spawn: "starting the plugin's process",
  stdio: "opening the pipes to the plugin's process",
  initialize: 'waiting for the answer to initialize',
  tools_list: 'waiting for the answer to tools/list',
  validation: "admitting the plugin's tools",
  ready: 'being ready',
};

/** What helps where a code alone leaves its reader guessing. */
const HINTS: Readonly<Record<string, string>> = {
  plugin_not_configured: 'Plugin ids are exact.',
  plugin_eof:
    'The program may have ended, or closed its stdout: see that its command, arguments and build are right.',
  plugin_malformed_json:
    'Nothing but protocol lines may go to stdout; a banner or a log line belongs on stderr.',
  plugin_executable_unsupported: 'Name the program itself, such as node, instead of a .cmd or .bat file.',
};

const ON_THE_MACHINE =
  "The Runner's machine has the details: `fairlead runner stderr` shows what the program wrote.";

/** The report of a candidate that was admitted. */
export function readyReport(provider: string, catalog: FrozenCatalog): CheckReport {
  const tools = [...catalog.tools.values()].map(({ name, title }) =>
    title === undefined ? { name } : { name, title },
  );
  return { kind: 'check', provider, ready: true, phase: 'ready', tools };
}

/** The report of a candidate that was not. Its words are Fairlead's own: nothing that the plugin or the system wrote. */
export function brokenReport(
  provider: string,
  failure: {
    readonly phase: CheckPhase;
    readonly code: string;
    readonly started?: boolean;
    readonly diagnostic?: Diagnostic;
  },
): CheckReport {
  const { phase, code, diagnostic } = failure;
  const report = {
    kind: 'check',
    provider,
    ready: false,
    phase,
    code,
    detail: detailOf(failure),
    tools: [],
  } as const;
  return diagnostic === undefined ? report : { ...report, diagnostic };
}

function detailOf({ phase, code, started }: { phase: CheckPhase; code: string; started?: boolean }): string {
  const sentences = [`Failed while ${ATTEMPTS[phase]}: ${describeCode(code)}`];
  const hint = Object.hasOwn(HINTS, code) ? HINTS[code] : undefined;
  if (hint !== undefined) sentences.push(hint);
  if (started === true) sentences.push(ON_THE_MACHINE);
  let detail = '';
  for (const sentence of sentences) {
    const longer = detail === '' ? sentence : `${detail} ${sentence}`;
    if (Buffer.byteLength(longer) > REPORT_DETAIL_MAX_BYTES) break;
    detail = longer;
  }
  return detail;
}
