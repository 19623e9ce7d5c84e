import type { JsonObject } from '@fairlead/base';

type Call = { readonly tool: string; readonly arguments: JsonObject };

/** What one of the agents says in each of its turns: some calls of tools, a step each list, then words. */
export type AgentScript = { readonly steps: readonly (readonly Call[])[] };

const call = (tool: string, args: JsonObject = {}): Call => ({ tool, arguments: args });

/** The agents of a soak, each with another part of the product to use. */
export const agentScripts = {
  /** Only talks. */
  soak: { steps: [] },
  /** Works with files, and with a plugin by its pinned tool and by `plugin_tool`. */
  hand: {
    steps: [
      [call('write_file', { path: 'note.txt', content: 'Soaked.\n' })],
      [
        call('read_file', { path: 'note.txt' }),
        call('calculate', { expression: '6 * 7' }),
        call('pinned_add', { a: 20, b: 22 }),
        call('plugin_tool', { action: 'list', runner: 'near' }),
      ],
    ],
  },
  /** Gives a task to a worker, which has a session of its own for it. */
  giver: { steps: [[call('spawn_worker', { name: 'reader', task: 'Read the note.' })]] },
  /** Wants what somebody has to approve. */
  asker: { steps: [[call('shell', { command: 'true' })]] },
  /** Remembers, and looks for what it remembers. */
  keeper: {
    steps: [
      [call('remember', { key: 'harbour', value: 'High water is at nine.', tags: ['soak'] })],
      [call('recall', { query: 'high water' }), call('list_memory_banks')],
    ],
  },
  /** Looks at skills, and reads one. */
  reader: {
    steps: [
      [call('skill_list'), call('skill_search', { query: 'tide' })],
      [call('skill_show', { name: 'tides' })],
    ],
  },
  /** Calls a tool of the MCP server. */
  caller: { steps: [[call('s__echo', { text: 'soak' })]] },
  /** Calls the tools of extensions that are loaded meanwhile. */
  visitor: {
    steps: [
      [
        call('report', { done: 'Soaked.' }),
        call('read_board', { board: 'standup' }),
        call('count_of_host'),
        call('count_of_agent'),
        call('count_of_session'),
      ],
    ],
  },
} as const satisfies Readonly<Record<string, AgentScript>>;

export type AgentName = keyof typeof agentScripts;

/** Says its words slowly, so that somebody can interrupt it. */
export const SLOW_AGENT = 'slow';

/** Turns that a session has a script for: more than any is told. */
const TURNS = 64;
const SLOW_STEP = { text: 'So be it, and so on, and so on.', chunk: 1, delay_ms: 100 };

/** The file of the scripted model. */
export function scriptFile(): JsonObject {
  const often = (steps: readonly JsonObject[]) => Array.from({ length: TURNS }, () => ({ steps }));
  const scripts: Record<string, JsonObject[]> = {
    default: often([{ text: 'So be it.' }]),
    [`agent:${SLOW_AGENT}`]: often([SLOW_STEP]),
    'worker:compact': often([{ text: 'Something was said.' }]),
    'worker:reader': often([{ calls: [call('read_file', { path: 'note.txt' })] }, { text: 'It is soaked.' }]),
  };
  for (const [name, { steps }] of Object.entries<AgentScript>(agentScripts))
    scripts[`agent:${name}`] = often([...steps.map((calls) => ({ calls })), { text: 'So be it.' }]);
  return { format: 'fairlead-script-v1', scripts };
}
