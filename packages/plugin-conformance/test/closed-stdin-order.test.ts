import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostilePlugin } from '../src/hostile/hostile-plugin.ts';
import { processScenarios } from '../src/hostile/process-scenarios.ts';
import type { Stage } from '../src/hostile/stage.ts';

test('a call that is written as soon as the tools are known finds the stdin of closes-stdin closed', () => {
  const scenario = processScenarios.find(({ name }) => name === 'closes-stdin');
  assert.ok(scenario !== undefined);
  const order: string[] = [];
  const stage: Pick<Stage, 'out' | 'closeStdin'> = {
    out: (data) => void order.push(JSON.parse(data as string).result.tools[0].name),
    closeStdin: () => void order.push('closed'),
  };
  const plugin = new HostilePlugin(stage as Stage, scenario.plays);
  plugin.read(Buffer.from('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n'));
  assert.deepEqual(order, ['closed', 'echo']);
});
