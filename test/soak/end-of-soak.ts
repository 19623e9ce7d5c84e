import { pidIsAlive, waitFor } from '@fairlead/testing';
import { namesOf, type ProcessTrees, processesWith } from './process-sample.ts';
import type { SoakWorld } from './soak-world.ts';

const END_LIMIT_MS = 30_000;

/** Ends the world as a person does; says what is left of it, and whether the plugin's own count agrees. */
export async function endOf(world: SoakWorld, trees: ProcessTrees): Promise<readonly string[]> {
  const faults: string[] = [];
  const processes = [world.host.ready.pid, world.runner.pid, world.mcp.pid];
  if (!pidIsAlive(world.mcp.pid)) faults.push('fairlead mcp ended before its client left');
  trees.count(processes);
  await world.mcp.client.close();
  for (const [what, { exit, signal }] of Object.entries(await world.stop()))
    if (exit !== 0) faults.push(`the ${what} ended with ${exit ?? signal}`);
  // Whoever was started by a command that is gone has its mark still.
  const left = () => [
    ...new Set([...processes.filter(pidIsAlive), ...trees.left(), ...processesWith(world.mark)]),
  ];
  await waitFor(() => left().length === 0, {
    what: 'the end of every process',
    ...{ timeoutMs: END_LIMIT_MS, intervalMs: 50 },
  }).catch(() => faults.push(`processes are left: ${namesOf(left())}`));
  const { completed, unknown } = world.tally.counted;
  const executions = world.executions();
  if (executions < completed || executions > completed + unknown)
    faults.push(`count ran ${executions} times: ${completed} completed, ${unknown} unknown`);
  return faults;
}
