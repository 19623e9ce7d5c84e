/**
 * The commands that the host keeps for itself, those to come included: a person who types one must get the host's. An extension's
 * command of such a name is left out. `memory`, `skills` and `schedule` are extensions' own. The host has each of them, or says where it
 * is done (`reservedNames` of @fairlead/host; a test holds the two lists together).
 */
export const RESERVED_COMMANDS: ReadonlySet<string> = new Set([
  // Leaving, and help.
  ...[
    'help',
    'h',
    '?',
    'quit',
    'exit',
    'q',
    'clear',
    'debug',
    'raw',
    'expand',
    'settings',
    'config',
    'version',
  ],
  // Sessions.
  ...['sessions', 'session', 's', 'new', 'switch', 'use', 'open', 'close', 'join', 'name', 'rename', 'mode'],
  ...[
    'info',
    'status',
    'print',
    'export',
    'groups',
    'group',
    'role',
    'attach',
    'detach',
    'workspace',
    'invite',
  ],
  // Turns.
  ...['cancel', 'stop', 'continue', 'pause', 'resume', 'compact', 'burst', 'room'],
  ...['approve', 'deny', 'approvals', 'costs', 'cost', 'usage'],
  // Agents and models.
  ...['agent', 'agents', 'model', 'models', 'backend', 'backends'],
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
