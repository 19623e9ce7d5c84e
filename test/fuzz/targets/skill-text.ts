import { isDeepStrictEqual } from 'node:util';
import { readSkillText, type SkillHead } from '../../../packages/host/src/skills/front-matter.ts';
import { readSkillRecord } from '../../../packages/host/src/skills/skill-record.ts';
import { hold, type Target } from '../engine/target.ts';

/** An input is a SKILL.md; what is read of one is written as a record of a bank and read again. */
export const target: Target = {
  name: 'skill-text',
  holds:
    'a text is a skill within its bounds or has a line and a reason; line ends and a byte order mark change nothing; a record of it reads the same',
  covers: ['packages/host/src/skills/front-matter.ts', 'packages/host/src/skills/skill-record.ts'],
  form: 'text',
  maxBytes: 20_000,
  words: [
    ...[
      '---\n',
      '\n---\n',
      'name: a\n',
      'description: ',
      'metadata:\n  ',
      'requires_tools: [',
      'triggers:\n  - ',
    ],
    ...[
      'allowed-tools: ',
      'license: ',
      '&a ',
      '*a',
      '!!str ',
      '<<: ',
      '|\n  ',
      '>-\n  ',
      '? ',
      '...\n',
      '%YAML 1.1\n',
    ],
    ...['\r\n', '\r', '\uFEFF', '\u2028', '__proto__: ', '"\\u0000"', "''", '[[', '}}'],
  ],
  seeds: () => [
    '---\nname: pdf-forms\ndescription: Fills in forms.\n---\n\n# How\n',
    '---\r\nname: a\r\nmetadata:\r\n  requires_tools: shell, read_file\r\n  triggers: x, y\r\n---\r\n',
    '\uFEFF---\nname: a\ntriggers: [a, "b c"]\ntags:\n  - x\nallowed-tools: Bash(git:*) Read\nlicense: MIT\n---\nText\n',
    '---\nname: a\ndescription: >\n  folded\n  text\nrequires-tools: [shell]\n---\n',
  ],
  open: async () => ({
    run: (input) => {
      const text = Buffer.from(input).toString('utf8');
      const reading = readSkillText(text);
      const lines = text.split(/\r\n|\n|\r/).length;
      if (!reading.ok) {
        hold(
          reading.line >= 1 && reading.line <= lines + 1,
          'a refusal names a line',
          () => `${reading.line}`,
        );
        hold(/^[^\p{Cc}]{1,300}$/u.test(reading.problem), 'a refusal has words', () => reading.problem);
        return;
      }
      const { head, body } = reading;
      judgeHead(head);
      for (const other of [`\uFEFF${text.replace(/^\uFEFF/, '')}`, text.replaceAll(/\r\n|\n|\r/g, '\r\n')]) {
        // The mark has three bytes, and so may be what is too much.
        if (Buffer.byteLength(other) > 60_000) continue;
        const again = readSkillText(other);
        hold(again.ok && isDeepStrictEqual(again.head, head), 'line ends and a mark change nothing', () =>
          JSON.stringify([head, again]),
        );
      }
      judgeRecord(head, body);
    },
  }),
};

function judgeHead({ name, description, triggers, tags, requiresTools, notes }: SkillHead): void {
  hold(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= 64, 'a name is one', () => name);
  hold([...description].length <= 1024 && !/\p{Cc}/u.test(description), 'a description is one line');
  for (const words of [triggers, tags, requiresTools])
    hold(
      words.length <= 64 &&
        words.every((word) => word !== '' && [...word].length <= 64 && !/\p{Cc}/u.test(word)),
      'words are short',
    );
  hold(
    notes.every((note) => !/\p{Cc}/u.test(note)),
    'a note is one line',
  );
}

function judgeRecord(head: SkillHead, body: string): void {
  const { name, description, triggers, tags, requiresTools } = head;
  const record = { name, description, triggers, tags, body, files: [], requires_tools: requiresTools };
  const again = readSkillRecord(name, record as never);
  hold(!('reason' in again), 'a record of it is read', () => JSON.stringify(again));
  hold(
    isDeepStrictEqual(
      [again.name, again.description, again.triggers, again.tags, again.requiresTools, again.body],
      [name, description, triggers, tags, requiresTools, body],
    ),
    'a record of it reads the same',
    () => JSON.stringify([head, again]),
  );
}
