import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveSet, LiveTool } from '@fairlead/hub';
import type { ToolProfile } from '../../src/agents/agent-config.ts';
import { describeTool } from '../../src/context/describe-tool.ts';
import { type OfferOptions, offeredTools, profileOf } from '../../src/context/offered-tools.ts';

type Args = LiveTool['contribution']['args'];

const PATH: Args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where it stands.', maxLength: 4096 },
    lines: { type: 'integer', minimum: 1, default: 100 },
  },
  required: ['path'],
  additionalProperties: false,
};

function setOf(
  ...tools: readonly (readonly [name: string, about: string, args?: Args])[]
): Pick<LiveSet, 'tools'> {
  return {
    tools: new Map(
      tools.map(([name, about, args = { type: 'object' }]) => [
        name,
        { name, owner: 'x', tier: 'in_process', contribution: { name, about, args } } as unknown as LiveTool,
      ]),
    ),
  };
}

function options(
  profile: Readonly<Record<string, ToolProfile>> = {},
  more: Partial<OfferOptions> = {},
): OfferOptions {
  return {
    allowed: [],
    profile: new Map(Object.entries(profile)),
    mode: 'normal',
    effectOf: () => 'write',
    ...more,
  };
}

const SET = setOf(
  ['read_file', 'Reads a file. Cuts it after 50,000 characters.', PATH],
  ['git__log', 'Shows the log', PATH],
  ['describe_tool', 'Tells all of a tool. For those of which only the name is shown.'],
);

test('a tool is shown in full unless its profile says less, in the order of the set', () => {
  const { tools, names } = offeredTools(SET, options());
  assert.deepEqual(tools, [
    { name: 'read_file', description: 'Reads a file. Cuts it after 50,000 characters.', schema: PATH },
    { name: 'git__log', description: 'Shows the log', schema: PATH },
    {
      name: 'describe_tool',
      description: 'Tells all of a tool. For those of which only the name is shown.',
      schema: { type: 'object', properties: {} },
    },
  ]);
  assert.deepEqual([...names], ['read_file', 'git__log', 'describe_tool']);
});

test('a brief tool has its first sentence and the names of its parameters', () => {
  const { tools } = offeredTools(SET, options({ default: 'brief' }));
  assert.deepEqual(tools[0], {
    name: 'read_file',
    description: 'Reads a file.',
    schema: {
      type: 'object',
      properties: { path: { type: 'string' }, lines: { type: 'integer' } },
      required: ['path'],
      additionalProperties: false,
    },
  });
  assert.equal(tools[1]?.description, 'Shows the log');
});

test('a tool in summary has its name, and the way to the rest', () => {
  const { tools } = offeredTools(SET, options({ read_file: 'summary', describe_tool: 'summary' }));
  assert.deepEqual(tools[0], {
    name: 'read_file',
    description: 'Ask describe_tool about it first.',
    schema: { type: 'object', properties: {}, additionalProperties: true },
  });
  assert.equal(tools[2]?.description, 'Tells all of a tool.');
});

test('a tool in summary is brief for an agent that may not ask what it is', () => {
  const { tools } = offeredTools(SET, options({ default: 'summary', describe_tool: 'hidden' }));
  assert.deepEqual(
    tools.map(({ name, description }) => [name, description]),
    [
      ['read_file', 'Reads a file.'],
      ['git__log', 'Shows the log'],
    ],
  );
});

test('a hidden tool is not offered, and neither is one that a list does not hold', () => {
  const { names, withheld } = offeredTools(
    SET,
    options(
      { 'git__*': 'hidden' },
      { allowed: [undefined, ['read_*', 'git__log'], ['read_file', 'git__log']] },
    ),
  );
  assert.deepEqual([...names], ['read_file']);
  assert.deepEqual([...withheld], ['git__log', 'describe_tool']);
  assert.deepEqual([...offeredTools(SET, options({}, { allowed: [[]] })).names], []);
});

test('inspect offers none, read_only what reads', () => {
  const effectOf = (tool: string) => (tool === 'read_file' ? 'read' : 'write');
  const named = (mode: OfferOptions['mode']) => {
    const { names, withheld } = offeredTools(SET, options({}, { mode, effectOf }));
    assert.equal(withheld.size, 0);
    return [...names];
  };
  assert.deepEqual(named('inspect'), []);
  assert.deepEqual(named('read_only'), ['read_file']);
  assert.deepEqual(named('normal'), ['read_file', 'git__log', 'describe_tool']);
});

test('a profile is found by the exact name, then the longest beginning in whatever order, then the default', () => {
  const profile = new Map<string, ToolProfile>([
    ['default', 'brief'],
    ['git__l*', 'hidden'],
    ['git__*', 'summary'],
    ['git__log', 'full'],
  ]);
  assert.equal(profileOf(profile, 'git__log'), 'full');
  assert.equal(profileOf(profile, 'git__ls'), 'hidden');
  assert.equal(profileOf(profile, 'git__show'), 'summary');
  assert.equal(profileOf(profile, 'shell'), 'brief');
  assert.equal(profileOf(new Map([...profile].reverse()), 'git__ls'), 'hidden');
  assert.equal(
    profileOf(
      new Map([
        ['*', 'summary'],
        ['default', 'full'],
      ]),
      'shell',
    ),
    'summary',
  );
  assert.equal(profileOf(new Map(), 'shell'), 'full');
});

test('a first sentence is cut between characters, and a number’s dot does not end it', () => {
  const about = (text: string) =>
    offeredTools(setOf(['t', text]), options({ t: 'brief' })).tools[0]?.description;
  assert.equal(about('Waits 1.5 seconds! Then goes on.'), 'Waits 1.5 seconds!');
  assert.equal(about('One line\nand another.'), 'One line');
  assert.equal(about(`${'x'.repeat(199)}😀 y`), `${'x'.repeat(199)}…`);
  assert.equal(about(`${'x'.repeat(198)}😀 y`), `${'x'.repeat(198)}😀…`);
  assert.equal(about(''), '');
});

test('describe_tool tells heading, description and every parameter', () => {
  const set = setOf(
    ['read_file', 'Reads a file.', PATH],
    [
      'edit',
      'Edits.',
      {
        type: 'object',
        properties: {
          edits: {
            type: 'array',
            maxItems: 3,
            items: { type: 'object', properties: { old: { type: 'string' } }, required: ['old'] },
          },
          mode: { type: 'string', enum: ['a', 'b'] },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    ],
    ['now', ''],
  );
  assert.equal(
    describeTool(set, 'read_file'),
    [
      '# read_file\n',
      'Reads a file.\n',
      'Parameters:\n',
      '- `path` (string, required, characters at most 4096): Where it stands.',
      '- `lines` (integer, optional, default 100, at least 1)',
    ].join('\n'),
  );
  assert.equal(
    describeTool(set, 'edit'),
    [
      '# edit\n',
      'Edits.\n',
      'Parameters:\n',
      '- `edits` (array of object, optional, items at most 3)',
      '  - `old` (string, required)',
      '- `mode` (string, optional, one of "a" | "b")',
      '- `tags` (array of string, optional)',
    ].join('\n'),
  );
  assert.equal(describeTool(set, 'now'), '# now\n\nNo parameters.');
});

test('a tool that is withheld is not told from one that there is not', () => {
  assert.equal(describeTool(SET, 'git__log', new Set(['read_file'])), undefined);
  assert.equal(describeTool(SET, 'nothing', new Set(['nothing'])), undefined);
});

test('a schema that only foreign code could contribute is shown as far as it can be read', () => {
  const odd = { type: 'object', properties: { a: { description: 'any' }, b: true } } as unknown as Args;
  const set = setOf(['odd', 'Odd.', odd], ['none', 'None.', { properties: 7 } as unknown as Args]);
  assert.deepEqual(
    offeredTools(set, options({ default: 'brief' })).tools.map(({ schema }) => schema),
    [
      { type: 'object', properties: { a: {}, b: {} } },
      { type: 'object', properties: {} },
    ],
  );
  assert.equal(describeTool(set, 'odd'), '# odd\n\nOdd.\n\nParameters:\n\n- `a` (any, optional): any');
});
