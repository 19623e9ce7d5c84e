const REPLICATION = 'sharing between peers comes with replication, which this version does not have';
const TERMINAL = 'only a front end of its own answers this, and this one does not';
const COMMAND_LINE = 'this is done outside of sessions, with `fairlead';

/**
 * Words that the host keeps for itself and does not run here: what they come with, or where that is done. No extension may have one, so that
 * a line means the same tomorrow.
 */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ...['share', 'unshare', 'sharing', 'sync', 'invite', 'peers'].map((name) => [name, REPLICATION] as const),
  ...['clear', 'debug', 'raw', 'expand'].map((name) => [name, TERMINAL] as const),
  ['settings', 'the settings of an extension are shown by /extensions settings <name>'],
  ['backend', `${COMMAND_LINE} model add\`: no key is typed into a session`],
  ['role', 'what an agent is told is its system_prompt: /agent set <agent> system_prompt <value…>'],
  ['attach', 'an agent is added with /agent add <agent>'],
  ['detach', 'an agent is taken out with /agent remove <agent>'],
  ['burst', 'it is /agent burst [turns]'],
  ['room', 'it is /agent room'],
  ['channels', 'rooms of other services come with their bridges, which this version does not have'],
  ['schedules', 'stored work comes with the extension `schedule`'],
  ['routines', 'stored work comes with the extension `schedule`'],
  ['session', 'it is /info, and /sessions for all of them'],
  ['status', `/info says it of this session, \`fairlead status\` of the host`],
  ['export', `${COMMAND_LINE} session export ID\``],
  ['workspace', 'the folder of a session is chosen when it begins; /info shows it'],
  ['config', `${COMMAND_LINE} config show\``],
  ['version', `${COMMAND_LINE} --version\``],
  ['tools', 'what is on here is listed by /extensions'],
  ['mcp', 'MCP servers are extensions: /extensions lists them'],
  ['plugin', `${COMMAND_LINE} plugin\``],
  ['plugins', `${COMMAND_LINE} plugin list\``],
  ['outcome', `${COMMAND_LINE} plugin outcome\``],
  ...['share', 'unshare', 'import', 'invite', 'revoke-peer', 'rehost'].map(
    (sub) => [`agent ${sub}`, REPLICATION] as const,
  ),
]);

/** Where something is done that is no command here, by its name, or by its name and sub-command. */
export function elsewhere(words: string): string | undefined {
  return ELSEWHERE.get(words);
}

/** The names among them. */
export const namesElsewhere: readonly string[] = [...ELSEWHERE.keys()].filter(
  (words) => !words.includes(' '),
);
