import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkClock } from '../src/doctor/clock-skew.ts';
import { checkEnvironments, type PreparedPlugin } from '../src/doctor/environments.ts';
import { checkExtensions } from '../src/doctor/extensions.ts';
import type { Finding } from '../src/doctor/finding.ts';
import { checkMcpServers, type SeenMcpServer } from '../src/doctor/mcp-servers.ts';
import { checkNodeVersion } from '../src/doctor/node-version.ts';
import { checkPort } from '../src/doctor/port.ts';
import { checkPrivateFiles } from '../src/doctor/private-files.ts';
import { checkProcessTable } from '../src/doctor/process-table.ts';
import { checkGateway, checkProxyVariables } from '../src/doctor/proxy.ts';
import { checkRunners, type SeenRunner } from '../src/doctor/runners.ts';
import { checkSandbox } from '../src/doctor/sandbox.ts';
import { checkStateDirectory } from '../src/doctor/state-directory.ts';

/** Level, code and sentence, as they stand on a line. */
function lines(findings: Finding | readonly Finding[]): string[] {
  return [findings]
    .flat()
    .map(({ level, what, code }) => `${level} ${what}${code === null ? '' : ` (${code})`}`);
}

test('a Node that runs TypeScript is well, an older one is not', () => {
  assert.deepEqual(lines(checkNodeVersion({ own: 'v24.21.0', onPath: null, isNamed: false })), [
    'ok Node 24.21.0',
  ]);
  assert.deepEqual(lines(checkNodeVersion({ own: 'v20.20.2', onPath: null, isNamed: false })), [
    'fail this command runs on Node 20.20.2 (node_too_old)',
  ]);
});

test('an older Node on the PATH matters where a plugin names node', () => {
  const own = 'v24.21.0';
  assert.deepEqual(lines(checkNodeVersion({ own, onPath: 'v20.20.2\n', isNamed: true })), [
    'ok Node 24.21.0',
    'warn plugins that name node get Node 20.20.2, which does not run TypeScript (node_too_old)',
  ]);
  assert.deepEqual(lines(checkNodeVersion({ own, onPath: 'v26.1.0', isNamed: true })), ['ok Node 24.21.0']);
  assert.deepEqual(lines(checkNodeVersion({ own, onPath: 'v20.20.2', isNamed: false })), ['ok Node 24.21.0']);
});

test('a port is free, ours, another Fairlead’s, somebody else’s, or not to be had', () => {
  const check = (state: Parameters<typeof checkPort>[2]) => lines(checkPort('127.0.0.1', 7420, state));
  assert.deepEqual(check({ kind: 'free' }), ['ok port 7420 on 127.0.0.1 is free']);
  assert.deepEqual(check({ kind: 'ours', url: 'http://127.0.0.1:7420' }), [
    'ok the host of this state directory answers at http://127.0.0.1:7420',
  ]);
  assert.deepEqual(check({ kind: 'fairlead' }), [
    'fail port 7420 on 127.0.0.1 is taken by a Fairlead of another state directory (port_in_use)',
  ]);
  assert.deepEqual(check({ kind: 'foreign', answer: 'HTTP 404' }), [
    'fail port 7420 on 127.0.0.1 is taken by another program, which answers HTTP 404 (port_in_use)',
  ]);
  assert.deepEqual(check({ kind: 'foreign', answer: null }), [
    'fail port 7420 on 127.0.0.1 is taken by another program (port_in_use)',
  ]);
  assert.deepEqual(check({ kind: 'refused', reason: 'EACCES' }), [
    'fail this machine does not let anybody listen on port 7420 on 127.0.0.1 (EACCES) (bind_failed)',
  ]);
  assert.deepEqual(lines(checkPort('127.0.0.1', 0, { kind: 'free' })), ['ok any free port is taken']);
});

test('a state directory is writable, or can be made, or neither', () => {
  const path = '/srv/state';
  const check = (state: Omit<Parameters<typeof checkStateDirectory>[0], 'path'>) =>
    lines(checkStateDirectory({ path, ...state }));
  assert.deepEqual(check({ kind: 'writable', reason: null, mode: 0o40700 }), [
    'ok /srv/state can be written',
  ]);
  assert.deepEqual(check({ kind: 'absent', reason: null, mode: null }), [
    'ok /srv/state is not there yet and can be made',
  ]);
  assert.deepEqual(check({ kind: 'unwritable', reason: 'EROFS', mode: null }), [
    'fail /srv/state cannot be written (EROFS) (state_directory_unwritable)',
  ]);
  assert.deepEqual(check({ kind: 'not_a_folder', reason: null, mode: null }), [
    'fail /srv/state is not a folder (state_directory_unwritable)',
  ]);
});

test('a state directory that others can write is open, one that they can only list is not', () => {
  const state = { path: '/srv/state', kind: 'writable', reason: null } as const;
  assert.deepEqual(lines(checkStateDirectory({ ...state, mode: 0o40777 })), [
    'fail /srv/state can be written by other users (mode 777) (state_directory_open)',
  ]);
  assert.deepEqual(lines(checkStateDirectory({ ...state, mode: 0o40755 })), ['ok /srv/state can be written']);
});

test('a token file is for its owner alone', () => {
  assert.deepEqual(lines(checkPrivateFiles([])), ['ok there is no token file yet']);
  assert.deepEqual(lines(checkPrivateFiles([{ path: '/s/operator.token', mode: 0o100600 }])), [
    'ok token files are readable by their owner alone',
  ]);
  const [finding] = checkPrivateFiles([
    { path: '/s/operator.token', mode: 0o100644 },
    { path: '/s/secret.key', mode: 0o100600 },
  ]);
  assert.deepEqual(finding, {
    level: 'fail',
    check: 'secrets',
    what: '/s/operator.token can be read by other users (mode 644)',
    code: 'token_file_readable',
    next: 'chmod 600 /s/operator.token; where somebody else may have read it, revoke the token and make a new one.',
  });
});

const hint = { command: './fairlead', stateFlag: '' };
const seen = (more: Partial<SeenRunner>): SeenRunner => ({
  runner: 'local',
  isLocal: true,
  state: 'linked',
  isOwned: false,
  plugins: [],
  ...more,
});

test('a Runner is linked, or runs without its link, or does not run', () => {
  assert.deepEqual(lines(checkRunners([], hint)), ['ok no Runner is known here yet']);
  assert.deepEqual(lines(checkRunners([seen({})], hint)), ['ok it is linked to its gateway']);
  assert.deepEqual(lines(checkRunners([seen({ state: 'running' })], hint)), [
    'fail it runs on this machine and is not linked to its gateway (runner_offline)',
  ]);
  assert.deepEqual(lines(checkRunners([seen({ state: 'absent' })], hint)), [
    'warn it does not run on this machine (runner_offline)',
  ]);
  assert.deepEqual(lines(checkRunners([seen({ state: 'absent', isLocal: false })], hint)), [
    'warn it is not connected (runner_offline)',
  ]);
  assert.deepEqual(lines(checkRunners([seen({ state: 'absent', isOwned: true })], hint)), [
    'fail it does not run on this machine (runner_offline)',
  ]);
});

test('a plugin that has failed is told with its code and the way to its stderr', () => {
  const plugins = [
    { plugin: 'a', status: 'ready', errorCode: null },
    { plugin: 'b', status: 'starting', errorCode: null },
    { plugin: 'c', status: 'failed', errorCode: 'plugin_eof' },
  ];
  const findings = checkRunners([seen({ plugins })], hint);
  assert.deepEqual(lines(findings).slice(1), [
    'ok it is ready',
    'ok it is starting',
    'fail it has failed (plugin_eof)',
  ]);
  assert.equal(findings[3]?.next, 'What it wrote: `./fairlead runner stderr --runner local c`.');
  const far = checkRunners([seen({ plugins: plugins.slice(2), isLocal: false })], hint);
  assert.match(far[1]?.next ?? '', /, on the machine of the Runner\.$/);
});

const prepared = (more: Partial<PreparedPlugin>): PreparedPlugin => ({
  plugin: 'a',
  command: 'node',
  profile: null,
  environment: { ok: true, env: {} },
  executable: { ok: true, path: '/usr/bin/node' },
  ...more,
});

test('a command is found on the prepared PATH, or is not', () => {
  assert.deepEqual(lines(checkEnvironments([prepared({})])), ['ok node is /usr/bin/node']);
  const executable = { ok: false, code: 'plugin_executable_unavailable' } as const;
  assert.deepEqual(lines(checkEnvironments([prepared({ executable })])), [
    'fail node is not found in the PATH that the plugin gets (plugin_executable_unavailable)',
  ]);
});

test('an init script that fails is told once for all the plugins that share it', () => {
  const environment = {
    ok: false,
    code: 'plugin_environment_prepare_failed',
    localDetail: 'it ended with 3',
  } as const;
  const broken = prepared({ environment, executable: null, profile: 'nvm' });
  const findings = checkEnvironments([
    broken,
    prepared({ ...broken, plugin: 'b' }),
    prepared({ plugin: 'c' }),
  ]);
  assert.deepEqual(lines(findings), [
    'fail it fails: it ended with 3 (plugin_environment_prepare_failed)',
    'ok node is /usr/bin/node',
  ]);
  assert.equal(findings[0]?.check, 'init_script of nvm');
});

test('clocks agree within 30 s, whatever the request took', () => {
  const theirs = Date.parse('Mon, 30 Nov 2026 12:00:00 GMT');
  const check = (
    askedMs: number,
    answeredMs: number,
    date: string | null = 'Mon, 30 Nov 2026 12:00:00 GMT',
  ) => lines(checkClock({ url: 'http://gateway', date, askedMs, answeredMs }));
  assert.deepEqual(check(theirs, theirs + 5), ['ok it agrees with that of http://gateway']);
  assert.deepEqual(check(theirs - 60_000, theirs + 60_000), ['ok it agrees with that of http://gateway']);
  assert.deepEqual(check(theirs - 90_000, theirs - 90_000), [
    "warn this machine's clock is 90 s behind that of http://gateway (gateway_clock_skew)",
  ]);
  assert.deepEqual(check(theirs + 91_000, theirs + 91_000), [
    "warn this machine's clock is 90 s ahead of that of http://gateway (gateway_clock_skew)",
  ]);
  assert.deepEqual(check(0, 0, null), []);
  assert.deepEqual(check(0, 0, 'yesterday'), []);
});

test('a proxy is harmless where this machine is left out of it', () => {
  const proxy = 'http://proxy.example:3128';
  assert.deepEqual(lines(checkProxyVariables({})), ['ok no proxy is set']);
  assert.deepEqual(lines(checkProxyVariables({ HTTP_PROXY: '' })), ['ok no proxy is set']);
  assert.deepEqual(lines(checkProxyVariables({ https_proxy: proxy, NO_PROXY: 'localhost, 127.0.0.1' })), [
    'ok https_proxy leave out this machine',
  ]);
  assert.deepEqual(lines(checkProxyVariables({ ALL_PROXY: proxy, no_proxy: '*' })), [
    'ok ALL_PROXY leave out this machine',
  ]);
  assert.deepEqual(lines(checkProxyVariables({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy })), [
    'warn HTTP_PROXY, HTTPS_PROXY without localhost and 127.0.0.1 in NO_PROXY (proxy_takes_loopback)',
  ]);
  assert.deepEqual(lines(checkProxyVariables({ HTTP_PROXY: proxy, NO_PROXY: 'localhost' })), [
    'warn HTTP_PROXY without 127.0.0.1 in NO_PROXY (proxy_takes_loopback)',
  ]);
});

test('a gateway answers, or something in its place, or nothing', () => {
  const check = (answer: Parameters<typeof checkGateway>[1]) => lines(checkGateway('http://gateway', answer));
  assert.deepEqual(check({ kind: 'fairlead' }), ['ok http://gateway answers']);
  assert.deepEqual(check({ kind: 'foreign', status: 502, server: '1.1 squid' }), [
    "fail http://gateway is answered with HTTP 502 by 1.1 squid, which is not Fairlead's answer (answer_not_fairlead)",
  ]);
  assert.deepEqual(check({ kind: 'foreign', status: 404, server: null }), [
    "fail http://gateway is answered with HTTP 404, which is not Fairlead's answer (answer_not_fairlead)",
  ]);
  assert.deepEqual(check({ kind: 'nothing', reason: 'ECONNREFUSED' }), [
    'fail http://gateway does not answer (ECONNREFUSED) (server_unreachable)',
  ]);
});

test('without /proc what leaves a process group is not ended', () => {
  assert.equal(checkProcessTable('linux', true).level, 'ok');
  assert.deepEqual(lines(checkProcessTable('darwin', false)), [
    "warn darwin has no /proc: a process that leaves its plugin's process group is not ended with it (process_table_absent)",
  ]);
});

test('extensions that do not run, or not at every scope, are named with their reason', () => {
  const hint = { command: './fairlead', stateFlag: '' };
  const down = {
    name: 'dice',
    state: 'down',
    reason: { code: 'extension_crashed', reason: 'exit code 7' },
    failures: [],
  };
  const failing = {
    name: 'notes',
    state: 'failing',
    reason: null,
    failures: [{ code: 'instantiate_failed', reason: 'no room', scope: 'session' }],
  };
  const running = { name: 'bell', state: 'running', reason: null, failures: [] };
  assert.deepEqual(
    checkExtensions({ extensions: [down, running, failing] }, hint).map(({ level, check, what, code }) => [
      level,
      check,
      what,
      code,
    ]),
    [
      ['warn', 'extension dice', 'it does not run: exit code 7', 'extension_crashed'],
      ['warn', 'extension notes', 'it does not run at every scope: no room', 'instantiate_failed'],
    ],
  );
  assert.deepEqual(checkExtensions({ extensions: [running] }, hint), [
    { level: 'ok', check: 'extensions', what: '1 run', code: null, next: null },
  ]);
});

test('what it means that commands cannot be confined is said where bubblewrap is missing or refused', () => {
  const follows =
    'commands of agents run unconfined, and those whose grants limit folders or network are refused';
  assert.deepEqual(lines(checkSandbox({ kind: 'found', path: '/usr/bin/bwrap', fault: null })), [
    'ok bubblewrap is /usr/bin/bwrap: commands of agents see what their grants name',
  ]);
  assert.deepEqual(lines(checkSandbox({ kind: 'found', path: '/usr/bin/bwrap', fault: 'no namespaces' })), [
    `warn bubblewrap is /usr/bin/bwrap and does not work (no namespaces): ${follows} (sandbox_unavailable)`,
  ]);
  assert.deepEqual(lines(checkSandbox({ kind: 'absent' })), [
    `warn bubblewrap is not installed: ${follows} (sandbox_unavailable)`,
  ]);
  assert.deepEqual(lines(checkSandbox({ kind: 'other_platform' })), [
    `warn this system has no bubblewrap: ${follows} (sandbox_unavailable)`,
  ]);
});

const programServer = (name: string, more: Partial<SeenMcpServer> = {}): SeenMcpServer => ({
  ...{ name, missing: [], reached: { kind: 'program', command: 'npx', path: '/usr/bin/npx' } },
  ...more,
});
const extensionRow = (server: string, code: string | null, reason = 'why') => ({
  ...{ name: `mcp-${server}`, tier: 'mcp', failures: [] },
  state: code === null ? 'running' : 'failing',
  reason: code === null ? null : { code, reason },
});

test('each MCP server that cannot be used has a finding of its own, with its cure', () => {
  const hint = { command: './fairlead', stateFlag: ' --state-dir d' };
  const missing = { kind: 'program', command: 'uvx', path: null } as const;
  const servers = [
    programServer('well'),
    programServer('moved'),
    programServer('slow'),
    programServer('ended'),
    programServer('gone', { reached: missing }),
    programServer('away', { reached: { kind: 'address', url: 'https://a.example' }, missing: ['A_TOKEN'] }),
    programServer('later'),
  ];
  const listed = {
    extensions: [
      extensionRow('well', null),
      extensionRow('moved', 'mcp_approval_pending', 'changed: echo'),
      extensionRow('slow', 'mcp_start_late'),
      extensionRow('ended', 'mcp_start_failed', 'it ended with exit code 7'),
      extensionRow('gone', 'mcp_start_failed', 'uvx is no program that can be found'),
      extensionRow('away', 'mcp_connect_failed', 'refused'),
      { name: 'dice', state: 'running', reason: null, failures: [] },
    ],
  };
  const leftOut = ['mcp.json: mcpServers.x would send KEY to https://evil.example'];
  const findings = checkMcpServers({ servers, leftOut }, listed, hint);
  assert.deepEqual(
    findings.map(({ level, check, what, code }) => [level, check, what, code]),
    [
      ['ok', 'mcp server well', 'it runs', null],
      ['warn', 'mcp server moved', 'changed: echo', 'mcp_approval_pending'],
      ['warn', 'mcp server slow', 'why', 'mcp_start_late'],
      ['fail', 'mcp server ended', 'it ended with exit code 7', 'mcp_start_failed'],
      ['fail', 'mcp server gone', 'uvx is not found in the PATH that it gets', 'mcp_start_failed'],
      ['fail', 'mcp server away', 'refused', 'mcp_connect_failed'],
      [
        'warn',
        'mcp server away',
        'A_TOKEN, which it is to be given, is not set in this shell, or holds a secret of the host',
        'mcp_variable_missing',
      ],
      ['warn', 'mcp server later', 'the host that runs does not have it', 'mcp_unavailable'],
      ['warn', 'mcp import', leftOut[0], 'mcp_left_out'],
    ],
  );
  const nextOf = (check: string) => findings.find((one) => one.check === check)?.next;
  assert.equal(
    nextOf('mcp server moved'),
    'See what changed: `./fairlead ext diff --state-dir d mcp-moved`. If you agree: `./fairlead ext approve --state-dir d mcp-moved`.',
  );
  assert.match(nextOf('mcp server ended') ?? '', /`\.\/fairlead ext output --state-dir d mcp-ended`/);
  assert.match(nextOf('mcp server gone') ?? '', /^Install it, or name it by its full path/);
  assert.deepEqual(lines(checkExtensions(listed, hint)), ['ok 1 run']);
});

test('without a host an MCP server is well where its program is there', () => {
  const servers = [
    programServer('a'),
    programServer('b', { reached: { kind: 'address', url: 'https://b' } }),
  ];
  const hint = { command: 'fairlead', stateFlag: '' };
  assert.deepEqual(lines(checkMcpServers({ servers, leftOut: [] }, null, hint)), [
    'ok its program is /usr/bin/npx, started once a host runs',
    'ok it is asked at https://b once a host runs',
  ]);
});
