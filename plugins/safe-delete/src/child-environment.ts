export type Environment = Readonly<Record<string, string | undefined>>;

// What a program needs to find the user's trash, its own libraries, and the user's session. FAIRLEAD_PROVIDER is how the
// Runner finds the processes of a plugin again.
const PASSED_ON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'FAIRLEAD_PROVIDER',
];

// No PSModulePath: one that PowerShell 7 has set keeps Windows PowerShell from finding its own modules.
const PASSED_ON_WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'FAIRLEAD_PROVIDER',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/** The few variables that a back end's program gets on Linux and macOS. */
export function posixEnvironment(env: Environment): Record<string, string> {
  return chosen(env, PASSED_ON);
}

/** The few variables that PowerShell gets. */
export function windowsEnvironment(env: Environment): Record<string, string> {
  return chosen(env, PASSED_ON_WINDOWS);
}

function chosen(env: Environment, names: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
