import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type JsonObject, systemRandom } from '@fairlead/base';
import { type AgentHost, type Entry, exportSession, type HeardEvent, readEntry } from '@fairlead/host';
import { manualClock, temporaryFolder } from '@fairlead/testing';
import { loadHostConfig } from '../../packages/cli/src/host/host-config.ts';
import { openHostFloor } from '../../packages/cli/src/host/host-floor.ts';

/** Who writes to the session, and answers what is asked. */
const ADA = { kind: 'person', id: 'tok_ada', name: 'Ada' } as const;

/** A host with everything that comes with it, over one back end; its clock moves when a model is waited for. */
export interface TalkingHost {
  readonly host: AgentHost;
  readonly session: string;
  /** The folder that the session works in. */
  readonly workspace: string;
  /** Events of the session, those of what it spawned among them, and lines of the log. */
  readonly heard: readonly HeardEvent[];
  readonly logged: readonly string[];
  /** Ada says it, gives each approval that is asked for, and everything that it began has ended. */
  ask(text: string): Promise<void>;
  entries(session?: string): Promise<readonly Entry[]>;
  /** The session as it is exported. */
  exported(): Promise<string>;
  close(): Promise<void>;
}

/** `backend`: the block of the back end `local` with its model `tiny`, in TOML. `script`: its file. */
export async function talkingHost(
  t: { after(hook: () => unknown): void },
  options: {
    readonly backend: string;
    readonly script?: JsonObject;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<TalkingHost> {
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const workspace = join(folder, 'work');
  for (const made of [stateDirectory, workspace]) mkdirSync(made, { recursive: true, mode: 0o700 });
  writeFileSync(join(stateDirectory, 'fairlead.toml'), CONFIGURATION + options.backend);
  if (options.script !== undefined)
    writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(options.script));
  const clock = manualClock();
  const logged: string[] = [];
  const context = {
    ...{ env: options.env ?? {}, cwd: folder, home: join(folder, 'home'), cloneRoot: folder, clock },
    platform: process.platform,
    random: systemRandom(),
    stdout: () => {},
    stderr: (text: string) => void logged.push(text),
    readStdin: async () => Buffer.alloc(0),
    streams: () => ({ input: new PassThrough(), output: new PassThrough() }),
  };
  const loaded = await loadHostConfig(context, stateDirectory, {});
  const floor = await openHostFloor({
    ...{ context, stateDirectory, loaded },
    log: (level, event, fields) => void logged.push(JSON.stringify({ level, event, ...fields })),
  });
  const { agents: host } = floor;
  await floor.extensions.settled;
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await floor[Symbol.asyncDispose]();
  };
  t.after(close);
  const session = await host.newSession({ agents: ['scout'], workspace });
  const heard: HeardEvent[] = [];
  await host.events.subscribe(session, {}, (event) => {
    heard.push(event);
    // A broken attempt is followed by a pause; nobody waits for it here.
    if (event.kind === 'step_reset') void clock.advance(30_000);
    if (event.kind === 'approval' && event.state === 'open') void approve(event.approval);
    return true;
  });
  async function approve(approval: string): Promise<void> {
    const by = { id: 'tok_ada', scopes: ['session:approve'] };
    assert.ok(await host.approvals.decide(approval, { decision: 'approve', by, via: 'console' }));
  }
  const exported = async () => {
    const lines: string[] = [];
    for await (const line of exportSession(await host.sessions.open(session)))
      lines.push(JSON.stringify(line));
    return lines.join('\n');
  };
  return {
    ...{ host, session, workspace, heard, logged, exported, close },
    async ask(text) {
      await host.post({ session, text, from: ADA });
      await host.idle();
    },
    async entries(of = session) {
      const entries: Entry[] = [];
      for await (const { id, value } of (await host.sessions.open(of)).table('entries').scan()) {
        const entry = readEntry(id, value);
        if (entry !== undefined && entry.type !== 'unknown') entries.push(entry);
      }
      return entries;
    },
  };
}

const CONFIGURATION = `
model = "local/tiny"

[policy]
auto_approve = ["spawn_worker"]

[[agents]]
name = "scout"
system_prompt = "Look before you write."

[[agents.workers]]
name = "reader"
system_prompt = "Only read."
tools = ["read_file"]

`;
