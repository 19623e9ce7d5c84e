import type { RunnerConfig } from '../../../../packages/runner/src/config/runner-config.ts';

/** What the page of `runner.toml` (docs/reference/configuration-runner.md) makes of a document: null where it refuses it. */
export function configOnPage(document: Table, platform: 'linux' | 'win32'): RunnerConfig | null {
  try {
    return readDocument(document, platform);
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

type Table = Readonly<Record<string, unknown>>;
type Rule = (text: string) => boolean;

class Refused extends Error {}

function demand(condition: boolean): asserts condition {
  if (!condition) throw new Refused();
}

const bytes =
  (min: number, max: number): Rule =>
  (text) =>
    Buffer.byteLength(text) >= min && Buffer.byteLength(text) <= max && !text.includes('\0');
const form =
  (pattern: RegExp): Rule =>
  (text) =>
    pattern.test(text);
const all =
  (...rules: readonly Rule[]): Rule =>
  (text) =>
    rules.every((rule) => rule(text));

const isPrintable = form(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$/);
const isOneLine = form(/^[^\t\r\n]*$/);
const isNotBlank = form(/\S/);
const hasNoNul = bytes(0, Number.POSITIVE_INFINITY);

function isServer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return /^https?:$/.test(url.protocol) && url.username + url.password === '';
}

/** The value of a key as `read` takes it; undefined where the table has no such key. */
function at<T>(table: Table, key: string, read: (value: unknown) => T): T | undefined {
  return Object.hasOwn(table, key) ? read(table[key]) : undefined;
}

const text = (rule: Rule) => (value: unknown) => {
  demand(typeof value === 'string' && rule(value));
  return value;
};
const whole = (min: number, max: number) => (value: unknown) => {
  demand(Number.isInteger(value) && Number(value) >= min && Number(value) <= max);
  return Number(value);
};
const list =
  <T>(max: number, item: (value: unknown) => T) =>
  (value: unknown) => {
    demand(Array.isArray(value) && value.length <= max);
    return value.map(item);
  };
const word =
  <T extends string>(...words: readonly T[]) =>
  (value: unknown) => {
    const found = words.find((known) => known === value);
    demand(found !== undefined);
    return found;
  };
const entries =
  <T>(name: Rule, read: (value: unknown) => T) =>
  (value: unknown) =>
    Object.entries(table(value)).map(([key, member]): [string, T] => {
      demand(name(key));
      return [key, read(member)];
    });

function table(value: unknown): Table {
  demand(typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date));
  return value as Table;
}

/** Without the members that are undefined. */
function present<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

const required = <T>(value: T | undefined): T => {
  demand(value !== undefined);
  return value;
};

const seconds = whole(1, 120);
const argumentList = list(64, text(bytes(0, 4096)));
const environment = entries(form(/^[A-Za-z0-9_]+$/), text(hasNoNul));
const profileName = all(form(/^[A-Za-z0-9_.-]{1,64}$/), (name) => !name.includes('..'));

function readDocument(root: Table, platform: 'linux' | 'win32'): RunnerConfig {
  const shell = at(root, 'shell', readShell) ?? readShell({});
  const plugins = at(root, 'plugins', (value) =>
    readPlugins(table(value), new Set(shell.profiles.keys()), platform),
  );
  return present({
    clientId: at(root, 'client_id', text(form(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/))),
    displayName: at(root, 'display_name', text(all(bytes(1, 128), isPrintable, isOneLine, isNotBlank))),
    serverUrl: at(root, 'server_url', text(isServer)),
    token: at(root, 'token', text(bytes(1, 4096))),
    projectRegistryDir: at(root, 'project_registry_dir', text(bytes(1, 4096))),
    websocketConnectTimeoutSecs: at(root, 'websocket_connect_timeout_secs', seconds) ?? 5,
    shell,
    plugins: plugins ?? { requestTimeoutSecs: 30, providers: [] },
  }) as RunnerConfig;
}

function readShell(value: unknown): RunnerConfig['shell'] {
  const shell = table(value);
  const profiles = new Map(at(shell, 'profiles', entries(profileName, readProfile)));
  return present({
    defaultProfile: at(
      shell,
      'default_profile',
      text((name) => profiles.has(name)),
    ),
    ...readProgram(shell),
    pathPrepend: at(shell, 'path_prepend', list(Number.POSITIVE_INFINITY, text(bytes(1, 4096)))) ?? [],
    profiles,
    initTimeoutMs: (at(shell, 'init_timeout_secs', whole(1, 60)) ?? 30) * 1000,
  }) as RunnerConfig['shell'];
}

function readProfile(value: unknown) {
  const profile = table(value);
  at(profile, 'description', text(all(bytes(1, 4096), isPrintable, isNotBlank)));
  return present({ ...readProgram(profile), initScript: at(profile, 'init_script', text(hasNoNul)) });
}

/** What `[shell]` and a profile have alike. */
function readProgram(shell: Table) {
  return {
    program: at(shell, 'program', text(bytes(1, 1024))),
    args: at(shell, 'args', argumentList),
    dialect: at(shell, 'dialect', word('posix', 'powershell')),
    env: Object.fromEntries(at(shell, 'env', environment) ?? []),
  };
}

function readPlugins(
  plugins: Table,
  profiles: ReadonlySet<string>,
  platform: 'linux' | 'win32',
): RunnerConfig['plugins'] {
  const requestTimeoutSecs = at(plugins, 'request_timeout_secs', seconds) ?? 30;
  const absolute = form(platform === 'win32' ? /^(?:[A-Za-z]:)?[\\/]/ : /^\//);
  const readProvider = (value: unknown) => {
    const provider = table(value);
    const args = at(provider, 'args', argumentList) ?? [];
    demand(Buffer.byteLength(args.join('')) <= 16_384);
    const timeouts = at(provider, 'tool_timeout_secs', entries(form(/^[A-Za-z0-9_.-]{1,128}$/), seconds));
    return present({
      id: required(at(provider, 'id', text(form(/^[a-z0-9_.-]{1,64}$/)))),
      name: required(at(provider, 'name', text(all(bytes(1, 128), isPrintable, isNotBlank)))),
      command: required(at(provider, 'command', text(bytes(1, 1024)))),
      args,
      cwd: at(provider, 'cwd', text(all(bytes(1, 4096), absolute))),
      profile: at(
        provider,
        'profile',
        text((name) => profiles.has(name)),
      ),
      timeoutMs: (at(provider, 'timeout_secs', seconds) ?? requestTimeoutSecs) * 1000,
      toolTimeoutMs: new Map(timeouts?.map(([name, secs]) => [name, secs * 1000])),
      maxQueued: at(provider, 'max_queued', whole(0, 16)) ?? 0,
      isolation: at(provider, 'isolation', word('none', 'pid')) ?? 'none',
    });
  };
  const providers = at(plugins, 'providers', list(8, readProvider)) ?? [];
  demand(new Set(providers.map(({ id }) => id)).size === providers.length);
  return { requestTimeoutSecs, providers } as RunnerConfig['plugins'];
}
