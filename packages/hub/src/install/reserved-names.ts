/**
 * The commands that the host keeps for itself, those to come included: a person who types one must get the host's. An extension's
 * command of such a name is left out. `memory`, `skills` and `schedule` are extensions' own.
 */
export const RESERVED_COMMANDS: ReadonlySet<string> = new Set([
  // Leaving, and help.
  ...['quit', 'exit', 'q', 'help', 'h', 'clear', 'debug', 'raw', 'expand', 'settings', 'config', 'version'],
  // Sessions.
  ...[
    'sessions',
    'session',
    's',
    'new',
    'switch',
    'use',
    'open',
    'close',
    'join',
    'name',
    'rename',
    'info',
    'print',
  ],
  ...['export', 'groups', 'group', 'role', 'attach', 'detach', 'workspace', 'invite'],
  // Turns.
  ...['cancel', 'stop', 'continue', 'pause', 'resume', 'compact', 'queue', 'mode', 'burst', 'room'],
  ...['approve', 'deny', 'approvals', 'costs', 'cost', 'usage', 'status', 'undo'],
  // Agents and models.
  ...['agent', 'agents', 'model', 'models', 'backend', 'backends', 'grants', 'grant', 'budget', 'local'],
  // Extensions, stored work, tools.
  ...[
    'extensions',
    'extension',
    'ext',
    'schedules',
    'routines',
    'mcp',
    'plugin',
    'plugins',
    'tools',
    'outcome',
  ],
  // Peers.
  ...['share', 'unshare', 'sharing', 'sync', 'pubkey', 'peers', 'channels'],
]);
