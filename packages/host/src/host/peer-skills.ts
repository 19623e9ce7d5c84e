import { FairleadError } from '@fairlead/base';
import { extensionErrors } from '@fairlead/extension/runtime';
import { filterEnvironment, runtimeNames, sensitiveNames } from '@fairlead/process';
import type { BankRight } from '../banks/bank-right.ts';
import { Banks, type KnownBank } from '../banks/banks.ts';
import { seedBanks } from '../banks/seed-banks.ts';
import type { RunningCommands } from '../commands/running-commands.ts';
import { hostError } from '../errors.ts';
import type { InstalledSkill } from '../skills/install/skill-installs.ts';
import type { SourceWords } from '../skills/install/skill-source.ts';
import type { SkillView } from '../skills/skill-view.ts';
import {
  type Installation,
  Skills,
  type SkillsHere,
  type SkillTarget,
  type SkillText,
} from '../skills/skills.ts';
import { offersOf } from '../turn/offers-of.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import type { HostOptions } from './host-options.ts';

/** Whose question about skills it is. */
interface SkillAsker {
  readonly session: string;
  /** Its id; absent where the session has none. */
  readonly agent?: string;
  /** The tool whose call asks; absent for the prompt and for a command. */
  readonly tool?: string;
  /** Ids of the banks that are attached to the session. */
  readonly attached: readonly string[];
}

/** A bank with the agents that it is granted to. */
interface GrantedBank extends KnownBank {
  readonly grants: readonly { readonly agent: string; readonly right: BankRight }[];
}

/** What the built-in about skills may do. What changes what is here or trusted rejects with `skill_command_denied` unless a person with the scope `admin` typed it. */
export interface PeerSkills {
  /** What a model is told of. */
  offered(asker: SkillAsker): Promise<readonly SkillView[]>;
  /** For a model: only what is offered. */
  show(asker: SkillAsker, name: string, file?: string): Promise<SkillText>;
  /** For a person: everything, and why it is not offered. */
  here(asker: SkillAsker): Promise<SkillsHere>;
  read(asker: SkillAsker, name: string, file?: string): Promise<SkillText>;
  installed(): Promise<readonly InstalledSkill[]>;
  trust(asker: SkillAsker, name: string, digest?: string): Promise<SkillView>;
  untrust(asker: SkillAsker, name: string): Promise<void>;
  install(
    asker: SkillAsker,
    words: SourceWords,
    target: SkillTarget,
    signal: AbortSignal,
  ): Promise<Installation>;
  remove(asker: SkillAsker, name: string, target: SkillTarget): Promise<void>;
  banks(): Promise<readonly GrantedBank[]>;
  findBank(nameOrId: string): Promise<KnownBank>;
  createBank(asker: SkillAsker, name: string): Promise<KnownBank>;
  removeBank(asker: SkillAsker, nameOrId: string): Promise<KnownBank>;
  /** `agent` by name or id. */
  grant(asker: SkillAsker, bank: string, agent: string, right: BankRight): Promise<KnownBank>;
  revoke(asker: SkillAsker, bank: string, agent: string): Promise<KnownBank>;
}

/** Skills and their banks, as a started host has them. */
export interface HostSkills {
  readonly skills: Skills;
  readonly banks: Banks;
  /** Whose command lines run now. */
  readonly commands: RunningCommands;
}

/** The skills of a host, over its floor; banks that the file gives to agents are made and granted. */
export async function hostSkills(
  options: HostOptions,
  floor: TurnFloor,
  secretVariables: readonly string[],
  commands: RunningCommands,
): Promise<HostSkills> {
  const { env, platform, watchdog, random, stateDirectory, folder, tables, report } = options;
  const { store, clock, peer, agents } = floor;
  const banks = new Banks({ kind: 'skill_bank', peer, store, clock, agents });
  for (const name of await seedBanks(banks, agents, { tables: tables.agents, field: 'skill_banks' })) {
    const { code, message } = hostError(
      'bank_name_invalid',
      `skill_banks of fairlead.toml: ${name.slice(0, 64)}`,
    );
    report({ level: 'warn', code, message });
  }
  const skills = new Skills({
    ...{ store, clock, agents, banks, stateDirectory, folder, env },
    peerId: peer.peerId,
    dirs: tables.skills?.dirs ?? [],
    workspace: (session) => floor.workspace(session),
    git: {
      ...{ watchdog, platform, random },
      env: filterEnvironment(env, [...sensitiveNames(secretVariables), ...runtimeNames()], platform),
    },
    warn: (message) => report({ level: 'warn', code: 'skill_tools_missing', message }),
  });
  return { skills, banks, commands };
}

/** What the host hands to the built-in about skills. */
export function peerSkills(
  here: () => { readonly floor: TurnFloor; readonly skills: HostSkills },
): PeerSkills {
  const tools = (asker: SkillAsker) => toolsFor(here().floor, asker);
  const skills = () => here().skills.skills;
  /** The rooms, for a person who may change them. */
  const opened = ({ session }: SkillAsker) => {
    const { skills: own, floor } = here();
    if (!own.commands.allow(session, 'skills', 'admin')) throw hostError('skill_command_denied');
    return { ...own, floor };
  };
  return {
    async offered(asker) {
      const names = await tools(asker);
      // Whoever cannot read one has none: a worker, an agent with fewer tools.
      return names.has('skill_show') ? await skills().offered(asker, names) : [];
    },
    show: async (asker, name, file) => await skills().show(asker, await tools(asker), name, file),
    here: async (asker) => await skills().here(asker, await tools(asker)),
    read: async (asker, name, file) => await skills().read(asker, await tools(asker), name, file),
    installed: async () => await skills().installed(),
    trust: async (asker, name, digest) => await opened(asker).skills.trust(asker, name, digest),
    untrust: async (asker, name) => await opened(asker).skills.untrust(name),
    install: async (asker, words, target, signal) =>
      await opened(asker).skills.install(words, target, signal),
    remove: async (asker, name, target) => await opened(asker).skills.remove(name, target),
    async banks() {
      const { banks } = here().skills;
      const all: GrantedBank[] = [];
      for (const bank of await banks.list()) {
        const grants = [...(await banks.grantsOf(bank.id))];
        all.push({ ...bank, grants: grants.map(([agent, right]) => ({ agent, right })) });
      }
      return all;
    },
    findBank: async (nameOrId) => await here().skills.banks.find(nameOrId),
    createBank: async (asker, name) => await opened(asker).banks.create(name),
    removeBank: async (asker, nameOrId) => await opened(asker).banks.remove(nameOrId),
    async grant(asker, bank, agent, right) {
      const { banks, floor } = opened(asker);
      return await banks.grant(bank, (await floor.agents.resolve(agent)).id, right);
    },
    async revoke(asker, bank, agent) {
      const { banks, floor } = opened(asker);
      return await banks.revoke(bank, (await floor.agents.resolve(agent)).id);
    },
  };
}

/** The tools that whoever asks is offered: a turn's own; for a client's call or a command, what the agent would be offered now. */
async function toolsFor(
  floor: TurnFloor,
  { session, agent, tool }: SkillAsker,
): Promise<ReadonlySet<string>> {
  const turn = floor.turns.of(session);
  if (turn !== undefined && turn.agent.id === agent) return turn.offered.names;
  const { agents, sessions, hub } = floor;
  const meta = await sessions.meta(session);
  if (tool !== undefined) {
    // Where nobody answers in a session a client's call is nobody's.
    const call = floor.running.of(session, agent ?? '', tool);
    if (call === undefined)
      throw new FairleadError('context_expired', extensionErrors.context_expired.message);
    const { set, config } = call.place;
    return offersOf(floor, [config.tools], { set, config, meta }).names;
  }
  const known = agent === undefined ? undefined : await agents.find(agent);
  if (known === undefined) return new Set();
  await using set = await hub.liveSet({ session, agent: { id: known.id, name: known.name } });
  const { config } = await agents.config(known.id);
  return offersOf(floor, [config.tools], { set, config, meta }).names;
}
