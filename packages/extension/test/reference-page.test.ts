import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defineExtension } from '../src/authoring/extension.ts';
import { HOOK_CONTRACTS } from '../src/contracts/hook-contracts.ts';
import { HOOK_KINDS, HOOK_MEMBERS } from '../src/contracts/hook-kinds.ts';
import {
  ARGUMENTS_BOUNDS,
  ASKS_MAX,
  budgets,
  CAP_MAX_DEPTH,
  COMMAND_LINE_MAX,
  contextLimits,
  manifestLimits,
  outputLimits,
  VALUE_BOUNDS,
  workerLimits,
} from '../src/limits.ts';
import { HOST_ONLY_KINDS } from '../src/manifest/kinds.ts';
import { MANIFEST_CHECKS } from '../src/manifest/manifest-fault.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/extension-api.md'), 'utf8');

/** The rows of the first table below a heading, as cells without backticks. */
function table(heading: string, index = 0): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const tables = section.split(/\n(?!\|)/).reduce<string[][][]>((found, line) => {
    const rows = line.split('\n').filter((row) => row.startsWith('|'));
    if (rows.length > 2)
      found.push(
        rows.slice(2).map((row) =>
          row
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim().replaceAll('`', '')),
        ),
      );
    return found;
  }, []);
  return tables[index] ?? [];
}

const english = (number: number) => number.toLocaleString('en-US');

test('the page has the contract of every hook', () => {
  const members: Record<string, string> = { ...HOOK_MEMBERS };
  const rows = table('Hooks').map(([kind, hookClass, , budget, runs, failure]) => [
    kind,
    hookClass,
    budget,
    runs,
    failure,
  ]);
  assert.deepEqual(
    rows.sort(),
    Object.entries(HOOK_CONTRACTS)
      .map(([kind, contract]) => [
        members[kind] ?? kind,
        contract.class,
        `${contract.budgetMs / 1000} s`,
        contract.order,
        contract.onFailure === 'blocks' ? 'blocks' : 'left out',
      ])
      .sort(),
  );
  assert.match(page, new RegExp(`one firing over all extensions has ${budgets.dispatchMs / 1000} s`));
});

test('the page has every check of a manifest, in their order', () => {
  assert.deepEqual(
    table('The manifest').map(([check]) => check),
    [...MANIFEST_CHECKS],
  );
});

test('the page has the members of a manifest and the kinds that the host alone offers', () => {
  const { manifest } = defineExtension({
    name: 'a',
    version: '1',
    on: { toolCall: () => {} },
    gates: ['x'],
  });
  for (const member of Object.keys(manifest)) assert.ok(page.includes(`\`${member}\``), member);
  for (const kind of HOST_ONLY_KINDS) assert.ok(page.includes(`\`${kind}\``), kind);
  assert.equal(HOOK_KINDS.length, 8);
});

test('the page has the bounds of the code', () => {
  const kib = (bytes: number) => `${bytes / 1024} KiB`;
  assert.deepEqual(
    table('Bounds').map(([, bound]) => bound),
    [
      String(manifestLimits.maxTools),
      String(manifestLimits.maxCommands),
      String(manifestLimits.maxCaps),
      String(manifestLimits.maxRoutines),
      `${english(manifestLimits.maxAbout)} characters`,
      `${kib(ARGUMENTS_BOUNDS.maxBytes)}, ${ARGUMENTS_BOUNDS.maxDepth} deep, ${english(ARGUMENTS_BOUNDS.maxNodes)} values`,
      `1 MiB, ${VALUE_BOUNDS.maxDepth} deep, ${english(VALUE_BOUNDS.maxNodes)} values`,
      `${english(COMMAND_LINE_MAX)} characters`,
      kib(outputLimits.maxText),
      `${outputLimits.maxSegments}; ${outputLimits.maxSegmentKey} characters; ${outputLimits.maxSegmentText} characters`,
      String(contextLimits.maxRead),
      kib(contextLimits.maxText),
      english(contextLimits.maxOwned),
      `${contextLimits.minTimerMs} to ${english(contextLimits.maxTimerMs)} ms`,
      String(ASKS_MAX),
      `${outputLimits.maxFaultMessage} characters`,
    ],
  );
});

test('the page has the budgets of the code', () => {
  for (const sentence of [
    `\`open(scope)\` has ${budgets.openMs / 1000} s`,
    `have ${budgets.closeMs / 1000} s; what fails or is late`,
    `A command has ${budgets.commandMs / 1000} s`,
    `A call of a cap has ${budgets.capMs / 1000} s`,
    `call each other ${CAP_MAX_DEPTH} deep`,
    `A firing has ${budgets.routineMs / 60_000} minutes`,
    `${english(budgets.toolMinMs)} to ${english(budgets.toolMaxMs)}`,
    `${workerLimits.heapMb} MiB of heap`,
    `no ping for ${workerLimits.silenceMs / 1000} s`,
    `1 to ${outputLimits.maxReason} characters`,
    `${outputLimits.maxMessages} at most`,
  ])
    assert.ok(page.replaceAll('\n', ' ').includes(sentence), sentence);
});
