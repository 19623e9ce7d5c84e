import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FairleadError, type Json } from '@fairlead/base';
import { type HostConfigReading, readHostConfig } from '@fairlead/gateway/config';
import { mcpKeys } from '@fairlead/mcp';
import { type RunnerConfig, readRunnerConfig } from '@fairlead/runner';
import { adminRequest } from '../client/admin-request.ts';
import { operatorTokenFile } from '../client/token-source.ts';
import type { CommandContext } from '../command-context.ts';
import { mcpTablesOf } from '../extensions/mcp-tables.ts';
import { agentTablesOf, machineZone } from '../host/agent-tables.ts';
import { type CommandHint, commandHint } from '../output/command-hint.ts';
import { findHost } from '../owner/host-in-charge.ts';
import type { ServerFile } from '../state/server-file.ts';
import { resolveStateDirectory } from '../state/state-directory.ts';
import { checkBackends } from './backends.ts';
import { checkClock } from './clock-skew.ts';
import { checkEnvironments } from './environments.ts';
import { checkExtensions } from './extensions.ts';
import { type Finding, ill, well } from './finding.ts';
import { checkMcpServers } from './mcp-servers.ts';
import { checkNodeVersion } from './node-version.ts';
import { checkPort, type PortState } from './port.ts';
import { checkPrivateFiles } from './private-files.ts';
import { seeBackends } from './probe-backends.ts';
import { probeGateway } from './probe-gateway.ts';
import { probeListen, probePrivateFiles, probeStateDirectory, probeVersion } from './probe-machine.ts';
import { seeMcpServers } from './probe-mcp-servers.ts';
import { prepareEnvironments } from './probe-plugins.ts';
import { seeRunners } from './probe-runners.ts';
import { seeSandbox } from './probe-sandbox.ts';
import { checkProcessTable } from './process-table.ts';
import { checkGateway, checkProxyVariables } from './proxy.ts';
import { checkRunners } from './runners.ts';
import { checkSandbox } from './sandbox.ts';
import { checkStateDirectory } from './state-directory.ts';

/** Where `fairlead doctor` looks. */
export type DoctorFlags = {
  readonly stateDir?: string;
  readonly config?: string;
  readonly runnerConfig?: string;
};

/** Looks at everything, in the order in which things are built upon each other. */
export async function examine(context: CommandContext, flags: DoctorFlags): Promise<readonly Finding[]> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await findHost(context, stateDirectory);
  const paths = configPaths(context, stateDirectory, flags, server);
  const file = await readRunnerConfig(paths.runner, context.platform);
  const config = file.ok ? file.config : null;
  const findings: Finding[] = [];
  findings.push(...(await nodeFindings(context, config)));
  findings.push(...checkStateDirectory(await probeStateDirectory(stateDirectory)));
  if (context.platform !== 'win32') {
    const secrets = [operatorTokenFile, 'secret.key', 'runner.token'].map((name) =>
      join(stateDirectory, name),
    );
    findings.push(...checkPrivateFiles(await probePrivateFiles([...secrets, paths.host, paths.runner])));
    findings.push(checkProcessTable(context.platform, existsSync('/proc/self/stat')));
  }
  findings.push(checkSandbox(await seeSandbox(context)));
  findings.push(checkProxyVariables(context.env));
  const isOfRunner = server === null && flags.config === undefined && isOfRunnerOnly(stateDirectory, config);
  if (isOfRunner) findings.push(well('host', 'this folder is a Runner’s; its host is elsewhere'));
  else findings.push(...(await hostFindings(context, paths.host, flags.config !== undefined, server)));
  if (server === null && config?.serverUrl !== undefined) {
    findings.push(...(await gatewayFindings(context, config.serverUrl)));
  }
  if (!file.ok && !(file.absent === true && flags.runnerConfig === undefined)) {
    const what = `${paths.runner}: ${file.localDetail}`;
    findings.push(ill('fail', { check: 'runner.toml', what, code: file.code }));
  }
  if (config !== null) findings.push(...checkEnvironments(await prepareEnvironments(context, config)));
  const seen = await seeRunners(context, stateDirectory, server);
  const { command, stateFlag } = commandHint(context, stateDirectory);
  findings.push(...seen.faults, ...checkRunners(seen.runners, { command, stateFlag }));
  const listed = server === null ? null : await listedExtensions(context, stateDirectory, server.url);
  if (listed !== null) findings.push(...checkExtensions(listed, { command, stateFlag }));
  if (!isOfRunner) findings.push(...(await mcpFindings(context, paths.host, listed, { command, stateFlag })));
  return findings;
}

/** Null where a host does not answer: that has been told before. */
async function listedExtensions(
  context: CommandContext,
  stateDirectory: string,
  url: string,
): Promise<Json | null> {
  try {
    const path = '/api/admin/extensions';
    return await adminRequest(context, { url, stateDirectory, method: 'GET', path });
  } catch {
    return null;
  }
}

/** The MCP servers of the file; one that cannot be read has been told before. */
async function mcpFindings(
  context: CommandContext,
  path: string,
  listed: Json | null,
  hint: CommandHint,
): Promise<Finding[]> {
  const reading = await readHostConfig({ path, isNamed: false, readElsewhere: mcpKeys, env: context.env });
  if (!reading.ok) return [];
  try {
    const tables = mcpTablesOf(reading, () => {});
    const { environmentKeys } = reading;
    const seen = await seeMcpServers(context, tables, { folder: dirname(path), environmentKeys });
    return checkMcpServers(seen, listed, hint);
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return [ill('fail', { check: 'fairlead.toml', what: error.message, code: error.code })];
  }
}

/** True where a Runner was set up that dials a gateway, and no host ever ran: nobody will listen here. */
function isOfRunnerOnly(stateDirectory: string, config: RunnerConfig | null): boolean {
  if (config?.serverUrl === undefined) return false;
  return !['fairlead.db', 'fairlead.toml'].some((name) => existsSync(join(stateDirectory, name)));
}

/** Those that the running host was started with, unless others are named. */
function configPaths(
  context: CommandContext,
  stateDirectory: string,
  flags: DoctorFlags,
  server: ServerFile | null,
): { readonly host: string; readonly runner: string } {
  const named = (flag: string | undefined) => (flag === undefined ? null : resolve(context.cwd, flag));
  return {
    host: named(flags.config) ?? server?.startedWith.config ?? join(stateDirectory, 'fairlead.toml'),
    runner:
      named(flags.runnerConfig) ?? server?.startedWith.runnerConfig ?? join(stateDirectory, 'runner.toml'),
  };
}

async function nodeFindings(context: CommandContext, config: RunnerConfig | null): Promise<Finding[]> {
  const isNamed = config?.plugins.providers.some(({ command }) => command === 'node') === true;
  const onPath = isNamed ? await probeVersion('node', context) : null;
  return checkNodeVersion({ own: process.version, onPath, isNamed });
}

/** The host's configuration, its address, and who answers there. */
async function hostFindings(
  context: CommandContext,
  path: string,
  isNamed: boolean,
  server: ServerFile | null,
): Promise<Finding[]> {
  const reading = await readHostConfig({ path, isNamed, env: context.env });
  return [
    ...(await addressFindings(context, reading, server)),
    ...(reading.ok ? await agentFindings(context, reading, dirname(path)) : []),
  ];
}

/** The models of the file; a value of its tables that cannot be used keeps a host from starting. */
async function agentFindings(
  context: CommandContext,
  reading: HostConfigReading & { readonly ok: true },
  folder: string,
): Promise<Finding[]> {
  try {
    const { backends } = agentTablesOf(reading, machineZone(), () => {});
    return checkBackends(await seeBackends(context, backends, folder));
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return [ill('fail', { check: 'fairlead.toml', what: error.message, code: error.code })];
  }
}

async function addressFindings(
  context: CommandContext,
  reading: HostConfigReading,
  server: ServerFile | null,
): Promise<Finding[]> {
  if (!reading.ok) {
    return [
      ill('fail', { check: 'fairlead.toml', what: reading.fault.message, code: reading.fault.code }),
      ...(server === null ? [] : await gatewayFindings(context, server.url)),
    ];
  }
  const { bind, port } = reading.config;
  if (server !== null) {
    return [
      checkPort(bind, port, { kind: 'ours', url: server.url }),
      ...(await gatewayFindings(context, server.url)),
    ];
  }
  const state = await portState(context, bind, port);
  return [checkPort(bind, port, state), noHost()];
}

function noHost(): Finding {
  return ill('warn', {
    check: 'host',
    what: 'no host runs on this state directory',
    code: 'host_not_running',
    next: 'Start one with `fairlead up`; for a machine that only runs a Runner this is as it should be.',
  });
}

async function portState(context: CommandContext, bind: string, port: number): Promise<PortState> {
  const reason = await probeListen(bind, port);
  if (reason === null) return { kind: 'free' };
  if (reason !== 'EADDRINUSE') return { kind: 'refused', reason };
  const host = bind.includes(':') ? `[${bind}]` : bind;
  const { answer } = await probeGateway(context.clock, `http://${host}:${port}`);
  if (answer.kind === 'fairlead') return { kind: 'fairlead' };
  return { kind: 'foreign', answer: answer.kind === 'foreign' ? `HTTP ${answer.status}` : null };
}

async function gatewayFindings(context: CommandContext, url: string): Promise<Finding[]> {
  const { answer, ...times } = await probeGateway(context.clock, url);
  const found = checkGateway(url, answer);
  return answer.kind === 'fairlead' ? [found, ...checkClock({ url, ...times })] : [found];
}
