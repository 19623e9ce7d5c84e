import type { JsonObject } from '@fairlead/base';
import { CALL, CLOSED, FIRST_ENTRY, LAST_STEP, MESSAGE, STEP, TURN, times, together } from '../kept-rows.ts';
import { isDisturbance } from '../outcome.ts';
import { type AgentName, type AgentScript, agentScripts } from '../soak-agents.ts';
import type { SoakWorld } from '../soak-world.ts';
import { ask, demand } from './admin-route.ts';

type Call = { readonly tool: string; readonly certainty: string; readonly code: string | null };

/** A session of that agent, in a folder that all of them share. */
export async function makeSession(world: SoakWorld, agent: string): Promise<string> {
  const body = { agents: [agent], workspace: world.workspace };
  const made = await ask(world, { method: 'POST', path: '/api/sessions', body });
  demand('making a session', made, 200);
  return madeSession(world, String(made.output?.['id']));
}

/** A session that was made, however that was done. */
export function madeSession(world: SoakWorld, session: string): string {
  world.tally.keeps(world.sessionRows);
  world.silent.add(session);
  return session;
}

/** Somebody said something there, perhaps for the first time. */
export function spoke(world: SoakWorld, session: string): void {
  if (world.silent.delete(session)) world.tally.keeps(FIRST_ENTRY);
}

/** One that was left, by another lane perhaps, or a new one. */
export async function anySession(
  world: SoakWorld,
  agent: AgentName,
  random: { below(limit: number): number; pick<T>(items: readonly T[]): T },
): Promise<string> {
  const left = world.left(agent);
  if (left.length > 0 && random.below(3) > 0) return random.pick(left);
  const session = await makeSession(world, agent);
  world.leave(agent, session);
  return session;
}

/** Says something in a session of `agent`, and waits for the answer: every call of its script was made. */
export async function tell(world: SoakWorld, session: string, agent: AgentName): Promise<void> {
  const path = `/api/sessions/${session}/run`;
  const told = await ask(world, { method: 'POST', path, body: { text: 'Go on.' } });
  demand('saying something', told, 200);
  spoke(world, session);
  tookTurn(world, agent, told.output);
}

/** What came of a turn, as a run reports it. */
export function tookTurn(world: SoakWorld, agent: AgentName, report: JsonObject | null): void {
  const { steps }: AgentScript = agentScripts[agent];
  const expected = steps.flat().length;
  world.tally.keeps(together(MESSAGE, TURN, times(steps.length, STEP), LAST_STEP, times(expected, CALL)));
  if (report?.['status'] !== 'completed')
    throw new Error(`a turn ended as ${String(report?.['status'])} (${String(report?.['code'])})`);
  const calls = (report['calls'] ?? []) as unknown as readonly Call[];
  if (calls.length !== expected) throw new Error(`a turn had ${calls.length} calls instead of ${expected}`);
  for (const { tool, certainty, code } of calls) {
    if (code === null) continue;
    if (isDisturbance(code)) world.tally.disturbed(code);
    else world.tally.fault(`${tool} in a turn: ${code} (${certainty})`);
  }
}

/** Types a line that begins with `/`; what it answers. */
export async function type(world: SoakWorld, session: string, line: string): Promise<JsonObject> {
  const path = `/api/sessions/${session}/command`;
  const { status, output, code } = await ask(world, { method: 'POST', path, body: { line } });
  if (status !== 200 || output === null) throw new Error(`${line}: ${code ?? `HTTP ${status}`}`);
  return output;
}

export async function closeSession(world: SoakWorld, session: string): Promise<void> {
  const path = `/api/sessions/${session}`;
  demand('closing it', await ask(world, { method: 'PATCH', path, body: { closed: true } }), 200);
  world.tally.keeps(CLOSED);
}
