import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSkillText } from '../../src/skills/front-matter.ts';

function head(text: string) {
  const reading = readSkillText(text);
  assert.ok(reading.ok, JSON.stringify(reading));
  return { ...reading.head, body: reading.body };
}

/** `line: problem`. */
function refused(text: string): string {
  const reading = readSkillText(text);
  assert.ok(!reading.ok, JSON.stringify(reading));
  return `${reading.line}: ${reading.problem}`;
}

test('a skill is a name, a description and a text', () => {
  assert.deepEqual(head('---\nname: pdf-forms\ndescription: Fills in forms.\n---\n\n# How\n\nSo.\n'), {
    name: 'pdf-forms',
    description: 'Fills in forms.',
    triggers: [],
    tags: [],
    requiresTools: [],
    notes: [],
    body: '# How\n\nSo.',
  });
});

test('optional defaults: nothing but the name has to be there', () => {
  const { description, triggers, requiresTools, tags, body } = head('---\nname: a\n---\n');
  assert.deepEqual([description, triggers, requiresTools, tags, body], ['', [], [], [], '']);
  assert.equal(head('---\nname: a\ndescription:\n---\n').description, '');
});

test('parser errors: no dashes at the beginning', () => {
  assert.equal(refused('name: a\n'), '1: it does not begin with a line of three hyphens (---)');
  assert.equal(refused(''), '1: it does not begin with a line of three hyphens (---)');
  assert.equal(refused(' ---\nname: a\n---\n'), '1: it does not begin with a line of three hyphens (---)');
});

test('parser errors: unclosed', () => {
  const problem = '1: its head has no end: a second line of three hyphens (---) is missing';
  assert.equal(refused('---\nname: a\n'), problem);
  assert.equal(refused('---\nname: a\n----\n'), problem);
});

test('parser errors: oversize', () => {
  const long = `---\nname: a\n---\n${'x'.repeat(64 * 1024)}`;
  assert.equal(refused(long), '1: it is larger than 64 KiB');
  assert.equal(head(long.slice(0, 64 * 1024)).name, 'a');
  const tall = `---\nname: a\ndescription: ${'x'.repeat(16 * 1024)}\n---\n`;
  assert.equal(refused(tall), '2: its head is larger than 16 KiB');
});

test('parser errors: no name', () => {
  assert.equal(refused('---\ndescription: nameless\n---\n'), '1: its head has no name');
  assert.equal(refused('---\nname:\n---\n'), '1: its head has no name');
});

test('a name is lower-case letters, digits and single hyphens, 64 at most', () => {
  const problem = '3: name must be 1 to 64 lower-case letters, digits and single hyphens';
  for (const name of [
    'PDF',
    'a--b',
    '-a',
    'a-',
    'a_b',
    '../a',
    'a/b',
    '12.5',
    'true',
    '[a]',
    `"${'a'.repeat(65)}"`,
    '"é"',
  ])
    assert.equal(refused(`---\ndescription: x\nname: ${name}\n---\n`), problem, name);
  assert.equal(head(`---\nname: ${'a'.repeat(64)}\n---\n`).name.length, 64);
});

test('CRLF and a byte order mark are read', () => {
  const { name, description, body } = head('\uFEFF---\r\nname: a\r\ndescription: b\r\n---\r\none\r\ntwo\r\n');
  assert.deepEqual([name, description, body], ['a', 'b', 'one\ntwo']);
  assert.equal(head('---\rname: a\r---\rone').body, 'one');
  assert.equal(head('---  \nname: a\n---\t\nx').body, 'x');
});

test('odd front matter is refused with its line', () => {
  assert.match(refused('---\nname: a\ndescription: Use when: it rains\n---\n'), /^3: its head is no YAML: /);
  assert.match(refused('---\nname: a\nlicense: "MIT\n---\n'), /^\d: its head is no YAML: /);
  assert.match(refused('---\nname: a\nname: b\n---\n'), /^3: its head is no YAML: .*unique/);
  assert.match(refused('---\nname: a\n\tx: y\n---\n'), /^\d: its head is no YAML: /);
  assert.match(
    refused('---\r\nname: a\r\n\r\ntags: !!js/function x\r\n---\r\n'),
    /^4: its head is no YAML: /,
  );
  assert.equal(refused('---\n- a\n- b\n---\n'), '2: its head is no list of keys and values');
  assert.equal(refused('---\n\n---\n'), '2: its head is no list of keys and values');
  assert.equal(
    refused('---\nname: a\n...\nname: b\n---\n'),
    '3: its head ends before its last line (at ...)',
  );
  assert.equal(refused('---\nname: a\n---\nx\n\0\n'), '5: it holds a null character, so it is no text');
});

test('each wrong value names its key and its line', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['description: 12', '3: description must be text: put it in quotes'],
    [`description: ${'x'.repeat(1025)}`, '3: description has more than 1024 characters'],
    ['license: [MIT]', '3: license must be text: put it in quotes'],
    [`compatibility: ${'x'.repeat(501)}`, '3: compatibility has more than 500 characters'],
    ['metadata: text', '3: metadata must be keys and values'],
    ['requires_tools: {shell: yes}', '3: requires_tools must be a list of words'],
    ['requires_tools: [12]', '3: requires_tools must be a list of words: put them in quotes'],
    ['requires_tools: ["no tool"]', '3: requires_tools must be names of tools'],
    ['triggers: true', '3: triggers must be a list of words'],
    [`triggers: [${'x'.repeat(65)}]`, '3: a word of triggers has more than 64 characters'],
    [
      `tags: [${Array.from({ length: 65 }, (_, at) => `t${at}`).join(', ')}]`,
      '3: tags has more than 64 words',
    ],
    ['metadata: {requires_tools: ["no tool"]}', '3: requires_tools must be names of tools'],
  ];
  for (const [line, problem] of cases) assert.equal(refused(`---\nname: a\n${line}\n---\n`), problem, line);
});

test('own keys stand at the top or under metadata, as lists or as one text', () => {
  const below = head(
    '---\nname: a\nmetadata:\n  requires_tools: shell, read_file\n  triggers: fill a form, PDF\n  author: me\n---\n',
  );
  assert.deepEqual(below.requiresTools, ['shell', 'read_file']);
  assert.deepEqual(below.triggers, ['fill a form', 'PDF']);
  assert.deepEqual(below.notes, []);
  const both = head('---\nname: a\nrequires_tools: [shell]\nmetadata: {requires_tools: other}\n---\n');
  assert.deepEqual(both.requiresTools, ['shell']);
  assert.deepEqual(head('---\nname: a\ntags: [x, " x ", "", y]\n---\n').tags, ['x', 'y']);
});

test('allowed-tools is kept to be shown, and a near miss of a key that counts is told', () => {
  const read = head(
    '---\nname: a\nallowed-tools: Bash(git:*) Read\nrequires-tools: shell\nlicense: MIT\ncompatibility: needs git\nversion: 1\n---\n',
  );
  assert.equal(read.allowedTools, 'Bash(git:*) Read');
  assert.equal(head('---\nname: a\nallowed-tools: [Bash, Read]\n---\n').allowedTools, '["Bash","Read"]');
  assert.deepEqual([read.license, read.compatibility, read.requiresTools], ['MIT', 'needs git', []]);
  assert.deepEqual(read.notes, [
    'requires-tools has no effect; it is written requires_tools',
    'version has no effect',
  ]);
});

test('a description of several lines is one line, without what a terminal would obey', () => {
  assert.equal(head('---\nname: a\ndescription: >\n  One\n  two.\n---\n').description, 'One two.');
  assert.equal(head('---\nname: a\ndescription: "x\\u001b[31m\\u202ey"\n---\n').description, 'x [31m y');
});

test('no reference multiplies what is written, and no head has no bottom', () => {
  const bomb = ['a: &a [x, x, x, x]', 'b: &b [*a, *a, *a, *a]', 'c: &c [*b, *b, *b, *b]', 'name: a'].join(
    '\n',
  );
  assert.match(refused(`---\n${bomb}\n---\n`), /^3: a reference to another place/);
  assert.match(refused('---\n<<: *x\nname: a\n---\n'), /^2: /);
  for (const deep of ['['.repeat(15_000), '- '.repeat(7000), '{a: '.repeat(3000)])
    assert.equal(refused(`---\n${deep}\n---\n`), '2: its head is nested too deeply');
  assert.match(
    refused(`---\nname: a\nx: ${'['.repeat(9)}${']'.repeat(9)}\n---\n`),
    /^3: its head is nested too deeply/,
  );
  assert.match(refused(`---\nname: a\nx: [${'1,'.repeat(600)}]\n---\n`), /^3: its head has too many values/);
});

test('a key that every object inherits is a key like others', () => {
  const read = head('---\nname: a\n__proto__: {description: no}\nconstructor: x\n---\n');
  assert.deepEqual([read.description, read.notes.length], ['', 2]);
});

test('the reader never throws, and what it takes is within its bounds', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...[
        '---\n',
        '\n---\n',
        'name: a\n',
        'description: ',
        'metadata:\n  ',
        'requires_tools: [',
        ']',
        '&a ',
        '*a',
        '!!',
        '|',
        '>',
      ],
      ...[
        '\r\n',
        '\r',
        '\uFEFF',
        '\t',
        '- ',
        '? ',
        ': ',
        '{',
        '}',
        '"',
        "'",
        '\\x',
        '%',
        '#',
        '\u2028',
        '\0',
        '\u{1F600}',
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        text.map((inner) => `---\nname: a\n${inner}\n---\nbody`),
      ),
      (whole) => {
        const reading = readSkillText(whole);
        if (!reading.ok) {
          assert.ok(
            reading.line >= 1 && reading.line <= whole.split(/\r\n|\n|\r/).length + 1,
            `${reading.line}`,
          );
          assert.ok(reading.problem.length > 0 && reading.problem.length < 300);
          assert.doesNotMatch(reading.problem, /\p{Cc}/u);
          return;
        }
        const { name, description, triggers, tags, requiresTools } = reading.head;
        assert.match(name, /^[a-z0-9-]{1,64}$/);
        assert.doesNotMatch(description, /\p{Cc}/u);
        assert.ok([...description].length <= 1024);
        for (const words of [triggers, tags, requiresTools]) assert.ok(words.length <= 64);
      },
    ),
    { numRuns: 2000 },
  );
});
