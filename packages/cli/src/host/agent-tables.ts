import { FairleadError } from '@fairlead/base';
import type { HostConfigReading } from '@fairlead/gateway/config';
import {
  type AgentTables,
  agentKeys,
  type BackendTables,
  backendKeys,
  type ConfigurationReading,
  type EmbeddingSettings,
  embeddingKeys,
  type PinTable,
  type PolicySettings,
  pinKeys,
  policyKeys,
  readAgents,
  readBackends,
  readEmbedding,
  readPins,
  readPolicy,
  readSchedules,
  readSkillSettings,
  readUsageSettings,
  readWeb,
  type ScheduleTable,
  type SkillSettings,
  scheduleKeys,
  skillKeys,
  type UsageSettings,
  usageKeys,
  type WebSettings,
  webKeys,
} from '@fairlead/host';

/** The tables and keys of `fairlead.toml` that are about agents: their models, what these may cost, what tools may do. */
export const agentTableKeys: readonly string[] = [
  ...backendKeys,
  ...usageKeys,
  ...policyKeys,
  ...agentKeys,
  ...scheduleKeys,
  ...skillKeys,
  ...webKeys,
  ...pinKeys,
  ...embeddingKeys,
];

/** What `fairlead.toml` says of agents. */
export interface HostTables {
  readonly backends: BackendTables;
  readonly usage: UsageSettings;
  readonly policy: PolicySettings;
  readonly agents: AgentTables;
  readonly schedules: readonly ScheduleTable[];
  readonly skills: SkillSettings;
  readonly web: WebSettings;
  readonly pins: readonly PinTable[];
  readonly embedding: EmbeddingSettings | undefined;
}

/** Reads them all. Throws `host_config_invalid`, with the line. `zone`: the machine's own, for the days of the ceilings. */
export function agentTablesOf(
  { document, refuse }: Pick<HostConfigReading & { readonly ok: true }, 'document' | 'refuse'>,
  zone: string,
  warn: (message: string) => void,
): HostTables {
  const taken = <T>(reading: ConfigurationReading<T>): T => {
    if (!reading.ok) {
      const { code, message } = refuse(reading.at, reading.problem);
      throw new FairleadError(code, message);
    }
    for (const { at, message } of reading.notices) warn(refuse(at, message).message);
    return reading.value;
  };
  const usage = taken(readUsageSettings(document, zone));
  return {
    backends: taken(readBackends(document)),
    usage,
    policy: taken(readPolicy(document)),
    agents: taken(readAgents(document)),
    schedules: taken(readSchedules(document, usage.zone)),
    skills: taken(readSkillSettings(document)),
    web: taken(readWeb(document)),
    pins: taken(readPins(document)),
    embedding: taken(readEmbedding(document)),
  };
}

/** The time zone that this machine is set to. */
export function machineZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
