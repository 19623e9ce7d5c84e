import type { Json, JsonObject } from '@fairlead/base';
import { BudgetWheel, HookDispatcher, type HookReport, type LogLine } from '@fairlead/extension/runtime';
import { AgentStates } from '../agent-state/agent-state.ts';
import { ExtensionHost } from '../dispatch/extension-host.ts';
import { FailureBook } from '../failures/failure-book.ts';
import type { Installed } from '../install/installed.ts';
import { Registry } from '../install/registry.ts';
import { Roster } from '../install/roster.ts';
import { Instances } from '../instances/instances.ts';
import type { InstanceScope } from '../instances/live-instance.ts';
import { Engine } from '../live/engine.ts';
import { LiveSets } from '../live/live-sets.ts';
import { Outputs } from '../outputs/outputs.ts';
import type { Report } from '../report.ts';
import { SessionDoor } from '../sessions/session-door.ts';
import { SecretMask } from '../settings/secret-mask.ts';
import { SettingsBook } from '../settings/settings-book.ts';
import type { Hub, HubOptions } from './hub.ts';
import { LiveAgents } from './live-agents.ts';
import { OpenSessions } from './open-sessions.ts';
import { publishStatus } from './publish-status.ts';
import { RunningHub } from './running-hub.ts';

/**
 * Opens the hub: installs the built-ins and opens their global instances. Rejects with the code of an invalid built-in, and with a code of
 * the store; then nothing of it runs. Close it before the peer and the store.
 */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { peer, store, clock, agents: directory, reserved, maxInstances, log } = options;
  const file = options.settings ?? { values: {}, secrets: [], missing: [] };
  const secrets = new SecretMask([...file.secrets, ...(options.secrets ?? [])]);
  const mask = (text: string) => secrets.text(text);
  const report: Report = (line) => options.report({ ...line, reason: mask(line.reason) });
  const settings = new SettingsBook(file, report, secrets);
  const failures = await FailureBook.open({ store, clock, report, mask });
  const wheel = new BudgetWheel(clock);
  const hooks = new HookDispatcher({ wheel, report: (failure) => tellHook(report, failure) });
  const engine = new Engine({ clock, wheel, hooks, settings, report });
  const roster = new Roster();
  const agents = new LiveAgents(directory);
  const names = reserved === undefined ? {} : { reserved };
  const instances = new Instances({
    roster,
    failures,
    clock,
    report,
    mask,
    settingsFor: (extension, scope) => settingsAt(extension, scope),
    ...names,
    ...(maxInstances === undefined ? {} : { maxInstances }),
  });
  const sets = new LiveSets({ engine, roster, instances });
  const outputs = new Outputs(store, mask);
  const sessions = new OpenSessions({
    peer,
    clock,
    report,
    roster,
    instances,
    sets,
    published: (session) => publishStatus({ sets, outputs, report }, session, undefined),
    unread: (id) => settings.forget(id),
    forget: (id) => outputs.forget(id),
  });
  const agentStates = new AgentStates(directory, options.agentState ?? {});
  const registry = new Registry({
    roster,
    instances,
    failures,
    clock,
    report,
    mask,
    hostFor: (ref) =>
      new ExtensionHost({
        ref,
        engine,
        door: new SessionDoor({
          extension: ref.name,
          clock,
          mask,
          use: (id, work) => sessions.use(id, work),
        }),
        settings,
        agentStates,
        installed: (name) => roster.get(name),
        session: (id, work) => sessions.use(id, work),
        log: (extension, line) => log?.({ ...maskedLine(line, secrets), extension }),
      }),
    ...names,
  });

  async function settingsAt(extension: Installed, scope: InstanceScope): Promise<JsonObject> {
    if (scope === 'global') return await settings.for(extension, {});
    if (scope.kind === 'session')
      return await sessions.use(scope.key, async (session) => await settings.for(extension, { session }));
    const agent = await agents.of({ id: scope.key, name: scope.name });
    return await settings.for(extension, { agent: agent.database });
  }

  try {
    const started = await registry.install(options.sources);
    return new RunningHub({
      ...{ peer, clock, directory, engine, settings, failures, roster, instances, registry, sets },
      ...{ outputs, sessions, agents, report, started },
    });
  } catch (error) {
    await registry.close();
    wheel.close();
    await failures.flush();
    throw error;
  }
}

function maskedLine(line: LogLine, secrets: SecretMask): LogLine {
  const message = secrets.text(line.message);
  return line.data === undefined
    ? { ...line, message }
    : { ...line, message, data: secrets.json(line.data as Json) as NonNullable<LogLine['data']> };
}

function tellHook(report: Report, { owner, kind, code, reason }: HookReport): void {
  report({ code, extension: owner, reason: `${kind}: ${reason}` });
}
