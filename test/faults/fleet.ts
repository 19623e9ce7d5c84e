import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@fairlead/base';
import { waitFor } from '@fairlead/testing';
import { writeRunnerConfig } from '../fairlead-process.ts';
import { writeAgents } from './agent-configuration.ts';
import { type LeftBehind, leftBehind, type Root } from './census.ts';
import { FleetMember } from './fleet-member.ts';
import { FleetPaths } from './fleet-paths.ts';
import { FrameProxy } from './frame-proxy.ts';
import { freePort } from './free-port.ts';
import { GatewayClient } from './gateway-client.ts';
import { JournalView } from './journal-view.ts';
import { post } from './paths/post.ts';
import type { Target, Topology } from './plan.ts';
import { SmallDisk } from './small-disk.ts';

/** Budgets and pauses of the processes pass so many times faster: a call of 30 s has 3 s. */
const RATE = 10;
const START_MS = 120_000;
const RESTORE_MS = 120_000;
/** After so many lost links a Runner waits long before the next attempt: a fresh one does not. */
const LINKS_MAX = 3;
/** One for each tool of the plugin. */
const PINS = 2;
const RUNNER = 'desk';
const PLUGIN = 'ledger';

const plugin = join(import.meta.dirname, 'ledger-plugin.mjs');
const watchdog = join('watchdog', 'watchdog.sh');

/** Whole processes that stay from round to round, unless a round has killed them. */
export class Fleet implements AsyncDisposable {
  readonly topology: Topology;
  readonly journal: JournalView;
  readonly gateway: GatewayClient;
  /** Between Runner and gateway; null where they are one process. */
  readonly proxy: FrameProxy | null;
  readonly disk: SmallDisk | null;
  readonly paths: FleetPaths;
  readonly ledger: string;
  readonly marks: string;
  readonly #folder: string;
  readonly #stateDirectory: string;
  readonly #config: string;
  readonly #mark: string;
  readonly #env: NodeJS.ProcessEnv;
  #host: FleetMember | null = null;
  #runner: FleetMember | null = null;
  /** What had ended by itself when it was to be killed, or started again. */
  #lost: string[] = [];
  readonly #told = new WeakSet<FleetMember>();
  #linksBefore = 0;
  /** The name that its configuration gave the Runner last, since this was looked at. */
  #named: string | null = null;

  private constructor(
    topology: Topology,
    folder: string,
    port: number,
    proxy: FrameProxy | null,
    disk: SmallDisk | null,
  ) {
    this.topology = topology;
    this.#folder = folder;
    this.#stateDirectory = join(folder, 'state');
    this.ledger = join(folder, 'ledger');
    this.marks = join(folder, 'marks');
    this.proxy = proxy;
    this.disk = disk;
    this.gateway = new GatewayClient(port);
    this.journal = new JournalView(this.#stateDirectory);
    // Its own processes, and theirs, are known by their PATH, which watchdogs have as well; nothing else of a test's own environment reaches them.
    const { PATH = '', HOME, TMPDIR, FAIRLEAD_TEST_TOKEN } = process.env;
    this.#mark = join(folder, 'no-programs');
    this.#env = { PATH: `${this.#mark}:${PATH}`, HOME, TMPDIR, FAIRLEAD_TEST_TOKEN };
    const target = ['--runner', RUNNER, '--plugin', PLUGIN];
    this.paths = new FleetPaths(this.gateway, this.#stateDirectory, target, this.#env);
    for (const name of [this.ledger, this.marks]) mkdirSync(name, { recursive: true });
    const budgets = 'max_queued = 16\ntool_timeout_secs = { brief = 1 }';
    const args = [plugin, this.ledger, this.marks];
    const block = { id: PLUGIN, command: process.execPath, args, timeoutSecs: 30 };
    this.#config = writeRunnerConfig(join(folder, 'runner.toml'), RUNNER, [block]);
    writeFileSync(this.#config, `${readFileSync(this.#config, 'utf8').trimEnd()}\n${budgets}\n`);
  }

  /** Starts the processes of one topology in an empty folder. */
  static async start(topology: Topology, folder: string): Promise<Fleet> {
    const state = join(folder, 'state');
    mkdirSync(state, { recursive: true });
    const mounted = topology === 'small' ? SmallDisk.mount(state) : null;
    if (mounted !== null && 'reason' in mounted) throw new Error(mounted.reason);
    const port = await freePort();
    const proxy = topology === 'together' ? null : await FrameProxy.listen(port);
    const fleet = new Fleet(topology, folder, port, proxy, mounted?.disk ?? null);
    writeAgents(state, { runner: RUNNER, plugin: PLUGIN });
    try {
      await fleet.#startHost();
      if (proxy !== null) {
        await fleet.#makeRunnerToken();
        fleet.#startRunner();
      }
      await fleet.#untilReady();
      // A turn that begins before its pinned tool was seen does not have it.
      const areShown = () => {
        fleet.#mustLive();
        return fleet.journal.pinsShown() === PINS;
      };
      await waitFor(areShown, { what: 'pinned tools', timeoutMs: START_MS });
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The process of a target; for the plugin there is only a number. */
  member(target: Exclude<Target, 'plugin'>): FleetMember | null {
    return target === 'runner' && this.proxy !== null ? this.#runner : this.#host;
  }

  /** Sends a signal, and answers whether there was a process to get it; SIGKILL resolves when that has ended. */
  async signal(target: Target, signal: NodeJS.Signals): Promise<boolean> {
    if (target === 'plugin') return this.#signalPlugin(signal);
    const member = this.member(target);
    if (member === null) return false;
    if (signal !== 'SIGKILL') return member.signal(signal);
    this.#noteLost(member);
    return await member.kill();
  }

  /** To be called when the gateway has been killed: resolves when no call that it sent can reach the plugin any more. */
  async nothingOnItsWay(): Promise<void> {
    if (this.proxy !== null) return await this.proxy.drained();
    await waitFor(() => this.#pluginPid() === null, {
      what: 'the end of the plugin of a host that was killed',
      timeoutMs: RESTORE_MS,
    });
  }

  /** Kills a process and starts it again; answers whether there was one to kill. */
  async restart(target: Exclude<Target, 'plugin'>): Promise<boolean> {
    const wasLive = await this.signal(target, 'SIGKILL');
    if (target === 'runner' && this.proxy !== null) this.#startRunner();
    else await this.#startHost();
    return wasLive;
  }

  /** Gives the Runner another name by its configuration. What comes of that is not waited for: the link may be under attack. */
  rename(name: string): void {
    const text = readFileSync(this.#config, 'utf8').replace(/^display_name = .*\n/m, '');
    writeFileSync(this.#config, `display_name = ${JSON.stringify(name)}\n${text}`);
    this.#named = name;
    void this.gateway.askRuntime('reload_runner_config', { runner: RUNNER });
  }

  /** Where its Runner has another name in force than the gateway shows: null, or what is wrong. */
  async staleName(): Promise<string | null> {
    const named = this.#named;
    this.#named = null;
    if (named === null) return null;
    const isInForce = async () => {
      const checked = await this.gateway.askRuntime('check_runner_config', { runner: RUNNER });
      return checked === null ? null : { is: checked['changedCount'] === 0 };
    };
    const inForce = await waitFor(isInForce, { what: 'its configuration', timeoutMs: RESTORE_MS });
    // The order was lost with the link: then the name before is right.
    if (!inForce.is) return null;
    const isShown = async () => {
      const { runners } = (await this.gateway.output({ action: 'list' })) ?? {};
      return Array.isArray(runners) && (runners as JsonObject[]).some((each) => each['name'] === named);
    };
    const shows = waitFor(isShown, { what: `the name ${named}`, timeoutMs: 30_000 });
    return await shows.then(
      () => null,
      () => `its Runner has the name ${named} in force, and the gateway shows another`,
    );
  }

  /** A fresh binding of a tool. */
  async bind(tool: 'work' | 'brief'): Promise<string> {
    return await waitFor(
      async () => {
        const wanted = { action: 'describe', runner: RUNNER, plugin: PLUGIN, tool };
        const output = await this.gateway.output(wanted);
        if (output !== null) return String(output['binding']);
        // A plugin that was killed at the end of a round may have looked ready for a moment longer.
        await this.#untilReady();
        return null;
      },
      { what: `a binding of ${tool}`, timeoutMs: RESTORE_MS },
    );
  }

  /** The Runner's process, or that of both. */
  get runnerPid(): number {
    return (this.proxy === null ? this.#host : this.#runner)?.pid ?? 0;
  }

  /** The Runner process that is linked now, as the journal names it. */
  async runnerInstances(): Promise<readonly string[]> {
    await this.bind('work');
    return this.journal.newestRunners();
  }

  /** Takes away whatever a round has done and starts what is dead; answers who had ended by itself. */
  async restore(): Promise<readonly string[]> {
    this.disk?.free();
    if (this.proxy !== null) this.proxy.rules = [];
    for (const member of new Set([this.#host, this.#runner])) {
      if (member === null) continue;
      member.unlimitDescriptors();
      member.signal('SIGCONT');
      await member.skew(0);
      this.#noteLost(member);
    }
    this.#lost.push(...this.paths.renewLost());
    this.#signalPlugin('SIGCONT');
    this.proxy?.release();
    if (this.#host === null || this.#host.isOver) await this.#startHost();
    this.journal.reopen();
    if (this.proxy !== null && (this.#runner === null || this.#runner.isOver)) this.#startRunner();
    await this.#untilReady();
    return this.#takeLost();
  }

  /** Before a round: a Runner that has lost its link too often is started anew, and a plugin that has ended since is, too. */
  async refresh(): Promise<void> {
    const links = this.proxy === null ? 0 : this.proxy.accepted - this.#linksBefore;
    if (links > LINKS_MAX) await this.restart('runner');
    await this.#untilReady();
  }

  /** Processes that should not be there, when they have had their time to go. */
  async strays(): Promise<readonly LeftBehind[]> {
    const left = () => leftBehind({ mark: this.#mark, roots: this.#roots(), watchdog, plugin });
    const isClean = await waitFor(() => left().length === 0, {
      what: 'the end of processes',
      timeoutMs: 30_000,
    }).catch(() => false);
    return isClean ? [] : left();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.remove();
  }

  /** Ends everything; the folder stays. Answers who had ended by itself since `restore`, and who had to be killed. */
  async stop(): Promise<readonly string[]> {
    this.journal[Symbol.dispose]();
    this.#lost.push(...this.paths.renewLost());
    await this.paths[Symbol.asyncDispose]();
    for (const member of [this.#runner, this.#host]) {
      if (member === null) continue;
      this.#noteLost(member);
      if (!(await member.stop())) this.#lost.push(`${member.name} did not end by SIGTERM: ${member.said}`);
    }
    await this.proxy?.[Symbol.asyncDispose]();
    this.#runner = null;
    this.#host = null;
    return this.#takeLost();
  }

  /** To be called when everything has ended. */
  remove(): void {
    this.disk?.[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Once for each process. */
  #noteLost(member: FleetMember): void {
    if (!member.isLost || this.#told.has(member)) return;
    this.#told.add(member);
    this.#lost.push(`${member.name} ended by itself: ${member.said}`);
  }

  #takeLost(): readonly string[] {
    const lost = this.#lost;
    this.#lost = [];
    return lost;
  }

  /** What may live now. A host has a watchdog of its own from the first program on that an agent or a server of its needs. */
  #roots(): Root[] {
    const isTogether = this.proxy === null;
    const roots = [
      { pid: this.#host?.pid ?? 0, watchdogs: isTogether ? 2 : 1, plugins: isTogether ? 1 : 0 },
      { pid: this.#runner?.pid ?? 0, watchdogs: 1, plugins: 1 },
      ...this.paths.pids.map((pid) => ({ pid, watchdogs: 0, plugins: 0 })),
    ];
    return roots.filter(({ pid }) => pid > 0);
  }

  #signalPlugin(signal: NodeJS.Signals): boolean {
    const pid = this.#pluginPid();
    if (pid === null) return false;
    try {
      return process.kill(pid, signal);
    } catch {
      // It has ended just now.
      return false;
    }
  }

  /** The plugin that noted its number last, and not whoever may have that number since; null where it has ended. */
  #pluginPid(): number | null {
    const pid = Number(readFileSync(join(this.marks, 'plugin.pid'), 'utf8'));
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.ledger) ? pid : null;
    } catch {
      return null;
    }
  }

  async #startHost(): Promise<void> {
    const isTogether = this.proxy === null;
    const args = ['--json', '--state-dir', this.#stateDirectory, '--port', String(this.gateway.port)];
    if (isTogether) args.unshift('up', '--runner-config', this.#config);
    else args.unshift('serve');
    const host = new FleetMember(isTogether ? 'the host' : 'the gateway', RATE, args, this.#env);
    this.#host = host;
    await waitFor(() => host.stdout.includes('\n') || host.isOver, {
      what: `the start of ${host.name}`,
      timeoutMs: START_MS,
    });
    if (host.isOver) throw new Error(`${host.name} did not start:\n${host.said}`);
    this.gateway.token = readFileSync(join(this.#stateDirectory, 'operator.token'), 'utf8').trim();
  }

  async #makeRunnerToken(): Promise<void> {
    const headers = { authorization: `Bearer ${this.gateway.token}` };
    const made = await post(this.gateway.port, '/api/admin/tokens', headers, { runner: RUNNER });
    if (made.kind !== 'answered') throw new Error('no Runner token');
    const { output } = JSON.parse(made.text) as { readonly output: { readonly secret: string } };
    writeFileSync(join(this.#folder, 'runner.token'), output.secret, { mode: 0o600 });
  }

  #startRunner(): void {
    this.#linksBefore = this.proxy?.accepted ?? 0;
    const args = ['runner', 'run', '--state-dir', join(this.#folder, 'state-desk'), '--config', this.#config];
    const server = [
      '--server-url',
      this.proxy?.url ?? '',
      '--token-file',
      join(this.#folder, 'runner.token'),
    ];
    this.#runner = new FleetMember('the Runner', RATE, [...args, ...server], this.#env);
  }

  /** Nothing is to be waited for where nobody is there to bring it about. */
  #mustLive(): void {
    for (const member of [this.#host, this.#runner])
      if (member?.isOver === true) throw new Error(`${member.name} ended by itself: ${member.said}`);
  }

  /** The Runner is linked and its plugin ready; one that has failed is reloaded. */
  async #untilReady(): Promise<void> {
    const wanted = { action: 'list', runner: RUNNER, plugin: PLUGIN };
    await waitFor(
      async () => {
        this.#mustLive();
        const output = await this.gateway.output(wanted);
        if (output?.['status'] === 'failed')
          await this.gateway.ask({ action: 'reload', runner: RUNNER }, RESTORE_MS);
        return output?.['status'] === 'ready';
      },
      { what: `a fleet that works again\n${this.#runner?.said}\n${this.#host?.said}`, timeoutMs: RESTORE_MS },
    );
  }
}
