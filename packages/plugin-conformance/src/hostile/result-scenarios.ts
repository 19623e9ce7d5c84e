import type { ClauseId } from '../clauses/clauses.ts';
import { answer, nested, READ_ONLY, text, tool } from './plays.ts';
import type { Scenario } from './scenario.ts';
import { badResult, usable } from './scenario-makers.ts';

function invalid(name: string, does: string, clause: ClauseId, result: () => unknown): Scenario {
  const plays = {
    call: (...[stage, { id }]: Parameters<NonNullable<Scenario['plays']['call']>>) =>
      answer(stage, id, result()),
  };
  return badResult({ name, does, code: 'plugin_result_invalid', clause, plays });
}

const items = (count: number): unknown[] =>
  Array.from({ length: count }, () => ({ type: 'text', text: 'x' }));

/** One tool that promises a sum. */
const withOutput = () => [
  tool('echo', {
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    ...READ_ONLY,
  }),
];

function promised(name: string, does: string, more: Readonly<Record<string, unknown>>): Scenario {
  return badResult({
    name,
    does,
    code: 'plugin_output_schema_violation',
    clause: 'wire.call.output-schema',
    plays: { tools: withOutput, call: (stage, { id }) => answer(stage, id, { ...text('x'), ...more }) },
  });
}

/** Calls that were answered, with a result that may not be handed on or that is only just good. */
export const resultScenarios: readonly Scenario[] = [
  invalid('result-is-text', 'gives a text for a result', 'wire.call.result-form', () => 'x'),
  invalid(
    'unknown-result-member',
    'gives a result a member that results do not have',
    'wire.call.result-form',
    () => ({
      ...text('x'),
      meta: {},
    }),
  ),
  invalid('content-missing', 'gives a result without content', 'wire.call.content', () => ({
    structuredContent: {},
  })),
  invalid('image-item', 'gives an image', 'wire.call.content', () => ({
    content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
  })),
  invalid('item-with-unknown-member', 'annotates an item', 'wire.call.content', () => ({
    content: [{ type: 'text', text: 'x', annotations: {} }],
  })),
  invalid('33-items', 'gives 33 items', 'wire.call.content', () => ({ content: items(33) })),
  invalid('ansi-escape', 'colours a text', 'wire.call.text', () => text('\u001b[31mred\u001b[0m')),
  invalid(
    'structured-content-is-list',
    'gives a list for structuredContent',
    'wire.call.structured-content',
    () => ({
      ...text('x'),
      structuredContent: [],
    }),
  ),
  invalid('is-error-is-text', 'gives a text for isError', 'wire.call.is-error', () => ({
    ...text('x'),
    isError: 'no',
  })),
  invalid('result-over-512-kib', 'gives a result of more than 512 KiB', 'wire.call.result-bounds', () =>
    text('x'.repeat(512 * 1024 + 1)),
  ),
  invalid('result-too-deep', 'gives a result of more than 16 levels', 'wire.call.result-bounds', () => ({
    ...text('x'),
    structuredContent: nested(17),
  })),
  {
    ...invalid('deep-nesting', 'gives a result of 100,000 levels', 'wire.call.result-bounds', () => null),
    plays: {
      call: (stage, { id }) => {
        const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
        stage.out(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"x":${deep}}}}\n`);
      },
    },
  },
  invalid(
    'result-too-many-values',
    'gives a result of more than 4,096 values',
    'wire.call.result-bounds',
    () => ({
      ...text('x'),
      structuredContent: { values: Array.from({ length: 4096 }, () => 0) },
    }),
  ),
  invalid('result-long-name', 'gives a member whose name has 1,025 bytes', 'wire.call.result-bounds', () => ({
    ...text('x'),
    structuredContent: { ['n'.repeat(1025)]: 0 },
  })),
  promised('output-missing', 'promises structured content and gives none', {}),
  promised('output-mismatch', 'gives other structured content than it promises', {
    structuredContent: { sum: 'three' },
  }),
  promised('output-mismatch-with-is-error', 'fails without the structured content it promises', {
    isError: true,
  }),
  usable('output-match', 'gives the structured content that it promises', {
    tools: withOutput,
    call: (stage, { id }) => answer(stage, id, { ...text('x'), structuredContent: { sum: 3 } }),
  }),
  usable('is-error', 'says that the tool failed', {
    call: (stage, { id }) => answer(stage, id, { ...text('no such file'), isError: true }),
  }),
  usable('no-content', 'gives a result without items', {
    call: (stage, { id }) => answer(stage, id, { content: [] }),
  }),
  usable('largest-result', 'gives 32 items and a result of just 512 KiB', {
    call: (stage, { id }) => {
      const many = { content: [...items(31), { type: 'text', text: '' }] };
      const room = 512 * 1024 - JSON.stringify(many).length;
      answer(stage, id, { content: [...items(31), { type: 'text', text: 'x'.repeat(room) }] });
    },
  }),
  usable('odd-member-names', 'names members __proto__ and constructor', {
    call: (stage, { id }) =>
      stage.out(
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"__proto__":{"a":1},"constructor":2}}}\n`,
      ),
  }),
];
