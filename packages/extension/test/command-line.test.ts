import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandName, parseCommandLine, usageOf } from '../src/command/command-line.ts';
import { splitWords } from '../src/command/split-words.ts';
import { jsonOf } from '../src/schema/any-schema.ts';
import { s } from '../src/schema/builder.ts';
import { compileSchema } from '../src/schema/compile-schema.ts';
import type { Shape } from '../src/schema/schema.ts';

function form(shape: Shape, name = 'tell') {
  const compiled = compileSchema(jsonOf(shape));
  assert.ok(compiled.ok);
  return { name, args: compiled.schema };
}

function parse(shape: Shape, rest: string): unknown {
  const parsed = parseCommandLine(form(shape), rest);
  return parsed.ok ? parsed.args : parsed.message;
}

function words(line: string): unknown {
  const split = splitWords(line);
  return split.ok ? split.words.map(({ text }) => text) : split.message;
}

test('words are split as a POSIX shell does', () => {
  assert.deepEqual(words('  a  b\tc\n'), ['a', 'b', 'c']);
  assert.deepEqual(words(`'a b' "c d" e\\ f`), ['a b', 'c d', 'e f']);
  assert.deepEqual(words(`a'b c'd`), ['ab cd']);
  assert.deepEqual(words(`'' ""`), ['', '']);
  assert.deepEqual(words(`"a \\"b\\" \\$c \\d"`), ['a "b" $c \\d']);
  assert.deepEqual(words(`'a\\b'`), ['a\\b']);
  assert.deepEqual(words('$HOME *'), ['$HOME', '*']);
  assert.equal(words(`it's`), "a ' is not closed");
  assert.equal(words('a"b'), 'a " is not closed');
  assert.equal(words('a\\'), 'a backslash ends the line');
});

test('a line begins with its command, with or without a slash', () => {
  assert.deepEqual(commandName('/tell a  b'), { name: 'tell', rest: 'a  b' });
  assert.deepEqual(commandName(' tell'), { name: 'tell', rest: '' });
  assert.deepEqual(commandName(''), { name: '', rest: '' });
});

test('words fill the arguments in their order, and the last string takes the rest', () => {
  const shape = { room: s.string(), text: s.string() };
  assert.deepEqual(parse(shape, 'kitchen tea  is "ready  now"'), {
    room: 'kitchen',
    text: 'tea is ready  now',
  });
  assert.equal(parse(shape, 'kitchen'), 'text must be present');
  assert.equal(parse({ a: s.integer(), b: s.integer() }, '1 2 3 4'), 'there are 2 words too many');
  assert.equal(parse({}, 'a'), 'there is a word too many');
  assert.deepEqual(parse({}, ''), {});
});

test('each type is read from its words', () => {
  const shape = {
    n: s.integer(),
    x: s.number(),
    unit: s.enum(['C', 'F']),
    home: s.object({ a: s.integer() }),
  };
  assert.deepEqual(parse(shape, `7 -1.5e2 F '{"a":1}'`), { n: 7, x: -150, unit: 'F', home: { a: 1 } });
  assert.equal(parse(shape, 'seven'), 'n must be an integer');
  assert.equal(parse(shape, '7 1 K {}'), 'unit must be one of "C", "F"');
  assert.equal(parse(shape, '7 1 C {'), 'home must be a JSON object');
  assert.equal(parse({ n: s.integer() }, '0x10'), 'n must be an integer');
  assert.equal(parse({ n: s.integer() }, '1.5'), 'n must be an integer');
});

test('a last list takes each word that is left, and an option may be repeated', () => {
  const shape = { room: s.string(), tags: s.array(s.integer(), { maxItems: 3 }) };
  assert.deepEqual(parse(shape, 'kitchen 1 2 3'), { room: 'kitchen', tags: [1, 2, 3] });
  assert.deepEqual(parse(shape, '--tags 1 kitchen --tags=2'), { room: 'kitchen', tags: [1, 2] });
  assert.equal(parse(shape, 'kitchen 1 x'), 'tags must be a list of such values');
});

test('options stand anywhere, flags are options alone', () => {
  const shape = {
    room: s.string(),
    loud: s.boolean({ default: false }),
    maxItems: s.integer({ default: 5 }),
    text: s.string({ default: '-' }),
  };
  const all = { room: 'kitchen', loud: true, maxItems: 2, text: 'hi you' };
  assert.deepEqual(parse(shape, '--loud kitchen --maxItems 2 hi you'), all);
  assert.deepEqual(parse(shape, 'kitchen hi --max-items=2 --loud=true you'), { ...all, text: 'hi you' });
  assert.deepEqual(parse(shape, 'kitchen 2 hi --no-loud'), {
    room: 'kitchen',
    loud: false,
    maxItems: 2,
    text: 'hi',
  });
  assert.deepEqual(parse(shape, 'kitchen --loud false 2'), {
    room: 'kitchen',
    loud: false,
    maxItems: 2,
    text: '-',
  });
  assert.deepEqual(parse(shape, 'kitchen 2 -- --loud'), {
    room: 'kitchen',
    loud: false,
    maxItems: 2,
    text: '--loud',
  });
  assert.deepEqual(parse(shape, `kitchen 2 '--loud'`), {
    room: 'kitchen',
    loud: false,
    maxItems: 2,
    text: '--loud',
  });
  assert.equal(parse(shape, '--quiet'), 'there is no option --quiet');
  assert.equal(parse(shape, '--room'), '--room takes a value');
  assert.equal(parse(shape, 'x --loud=maybe'), 'loud must be yes or no');
  assert.equal(parse({ x: s.string() }, '--no-x y'), 'there is no option --no-x');
  assert.equal(parse({ x: s.boolean() }, '--x=constructor'), 'x must be yes or no');
  assert.deepEqual(parse({ x: s.boolean() }, '--x=YES'), { x: true });
});

test('a fault answers the usage line', () => {
  const shape = {
    room: s.string(),
    city: s.string({ default: 'Oslo' }),
    loud: s.boolean({ default: false }),
    count: s.optional(s.integer()),
    text: s.string(),
  };
  assert.equal(usageOf(form(shape)), '/tell <room> [city="Oslo"] [--loud] [count] <text…>');
  assert.equal(usageOf(form({ ids: s.array(s.integer()) })), '/tell <ids…>');
  assert.equal(usageOf(form({})), '/tell');
  assert.deepEqual(parseCommandLine(form(shape), ''), {
    ok: false,
    code: 'command_usage',
    message: 'room must be present',
    usage: '/tell <room> [city="Oslo"] [--loud] [count] <text…>',
  });
});

test('a line is bounded', () => {
  assert.equal(parse({ text: s.string() }, 'x'.repeat(8193)), 'a line has 8192 characters at most');
});
