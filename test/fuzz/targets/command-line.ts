import { isDeepStrictEqual } from 'node:util';
import {
  commandName,
  parseCommandLine,
  usageOf,
} from '../../../packages/extension/src/command/command-line.ts';
import { splitWords } from '../../../packages/extension/src/command/split-words.ts';
import { compileSchema } from '../../../packages/extension/src/schema/compile-schema.ts';
import { hold, type Target } from '../engine/target.ts';

const schemas = [
  { type: 'object', properties: {} },
  { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  {
    type: 'object',
    properties: {
      city: { type: 'string', enum: ['a', 'b'] },
      maxDays: { type: 'integer', default: 3 },
      far: { type: 'boolean', default: false },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city'],
  },
  {
    type: 'object',
    additionalProperties: true,
    properties: {
      n: { type: 'number', minimum: -1 },
      o: { type: 'object', additionalProperties: true },
      z: { type: 'null' },
      many: { type: 'array', items: { type: 'array' } },
    },
  },
  {
    type: 'object',
    properties: JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"boolean"},"no-x":{"type":"boolean"}}',
    ) as object,
  },
];

/** An input is a line; each form takes it. */
export const target: Target = {
  name: 'command-line',
  holds:
    'a line is arguments of the schema or a fault with the usage; a word that is quoted comes back as it was',
  covers: ['packages/extension/src/command'],
  form: 'text',
  maxBytes: 6_000,
  words: [
    '--max-days',
    '--maxDays=',
    '--no-far',
    '--far',
    '--tags',
    '--',
    '--o',
    "'{}'",
    '--__proto__',
    '--no-no-x',
    '--city=',
    'true',
    'null',
    '1e999',
    '--n',
  ],
  seeds: () => [
    '/weather a 5 --far x y z',
    'a --max-days=7 --no-far -- --far',
    `"it's" 'a "b"' c\\ d \\\\ "\\$x"`,
    '1.5 {"a":1} null [1] [2]',
    '--tags a --tags=b',
  ],
  open: async () => {
    const forms = schemas.map((schema) => {
      const compiled = compileSchema(schema);
      if (!compiled.ok) throw new Error('a schema of this target is none');
      return { name: 'x', args: compiled.schema };
    });
    return {
      run: (input) => {
        const line = Buffer.from(input).toString();
        const { name, rest } = commandName(line);
        hold(
          !/\s/.test(name) && line.includes(rest),
          'a name has no space, and the rest is part of the line',
        );
        words(line);
        for (const form of forms) {
          const parsed = parseCommandLine(form, line);
          if (!parsed.ok) {
            hold(parsed.code === 'command_usage' && parsed.message !== '', 'a fault has its code and words');
            hold(parsed.usage === usageOf(form), 'a fault answers the usage');
            continue;
          }
          const again = form.args.parse(parsed.args);
          hold(again.ok && isDeepStrictEqual(again.value, parsed.args), 'arguments are those of the schema');
        }
      },
    };
  },
};

function words(line: string): void {
  const split = splitWords(line);
  if (!split.ok) {
    hold(split.message !== '', 'a line that is no words says why');
    return;
  }
  const quoted = split.words.map(({ text }) => `'${text.replaceAll("'", `'\\''`)}'`).join(' ');
  const again = splitWords(quoted);
  hold(
    again.ok &&
      isDeepStrictEqual(
        again.words.map(({ text }) => text),
        split.words.map(({ text }) => text),
      ),
    'words that are quoted come back as they were',
  );
}
