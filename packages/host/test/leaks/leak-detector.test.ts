import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { LeakDetector } from '../../src/leaks/leak-detector.ts';

const detector = new LeakDetector();
const redact = (text: string) => detector.text(text).value;

/** Put together here, so that no scanner takes this file for a leak. */
const secrets: [category: string, secret: string][] = [
  ['openai_key', `sk-${'a1B2'.repeat(5)}`],
  ['openai_key', `sk-proj-${'a1_-'.repeat(9)}`],
  ['anthropic_key', `sk-ant-api03-${'a1_-'.repeat(9)}`],
  ['openrouter_key', `sk-or-v1-${'0123456789abcdef'.repeat(4)}`],
  ['github_token', `ghp_${'a1B2c3'.repeat(6)}`],
  ['github_token', `ghs_${'a1B2c3'.repeat(6)}`],
  ['github_fine_grained_token', `github_pat_${'a1B2_'.repeat(6)}`],
  ['aws_key', `AKIA${'A1B2'.repeat(4)}`],
  ['google_key', `AIza${'a1B-_'.repeat(7)}`],
  ['stripe_key', `sk_live_${'a1B2c'.repeat(5)}`],
  ['stripe_key', `rk_test_${'a1B2c'.repeat(5)}`],
  ['slack_token', `xoxb-${'1234567890'}-abc`],
  ['sendgrid_key', `SG.${'a1B2c3D4e5F6g7H8'}.${'a1B2c3D4e5F6g7H8i9'}`],
  ['fairlead_token', `fairlead_pat_${'a1_-'.repeat(9)}`],
  ['fairlead_token', `fairlead_runner_${'a1_-'.repeat(9)}`],
];

test('each kind of secret is left out, wherever it stands, and named by its kind', () => {
  for (const [category, secret] of secrets)
    for (const [before, after] of [
      ['', ''],
      ['key = "', '", and more'],
      ['a\n', '\nb'],
      ['?k=', '&x'],
    ]) {
      const marker = `[REDACTED:${category}]`;
      assert.deepEqual(detector.text(`${before}${secret}${after}`), {
        value: `${before}${marker}${after}`,
        categories: [category],
      });
    }
});

test('a bearer token goes with its word', () => {
  const found = detector.text(`Authorization: bearer\t ${'abc.DEF~1'.repeat(3)}== end`);
  assert.deepEqual(found, {
    value: 'Authorization: [REDACTED:bearer_token] end',
    categories: ['bearer_token'],
  });
});

test('ordinary words are no secrets', () => {
  const text =
    'task-force sk-short ghp_x AKIA AKIA1234567890ABCDEFG bearer of bad news AIzaX SG.a.b xoxb- PRIVATE KEY';
  assert.deepEqual(detector.text(text), { value: text, categories: [] });
});

test('several secrets are all left out, and their kinds are told once, in order', () => {
  const [openai, , , , github] = secrets.map(([, secret]) => secret);
  assert.deepEqual(detector.text(`${github} ${openai} ${github}`), {
    value: '[REDACTED:github_token] [REDACTED:openai_key] [REDACTED:github_token]',
    categories: ['github_token', 'openai_key'],
  });
});

const body = `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2)}\n${'q1w2'.repeat(16)}\nshort=\n`;
const begin = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----\n`;
const end = (kind: string) => `-----END ${kind}PRIVATE KEY-----`;

test('a private key goes whole, its body with it', () => {
  for (const kind of ['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '])
    assert.equal(redact(`a ${begin(kind)}${body}${end(kind)} b`), 'a [REDACTED:private_key] b');
  assert.equal(
    redact(`-----BEGIN PGP PRIVATE KEY BLOCK-----\n${body}-----END PGP PRIVATE KEY BLOCK-----\n.`),
    '[REDACTED:private_key]\n.',
  );
  const two = `${begin('')}${body}${end('')}x${begin('EC ')}${body}${end('EC ')}`;
  assert.equal(redact(two), '[REDACTED:private_key]x[REDACTED:private_key]');
});

test('a real key leaves nothing behind, as a file and as JSON of one', () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const secret = pem.split('\n')[1] ?? '';
  assert.ok(secret.length > 40);
  for (const text of [
    pem,
    JSON.stringify({ key: pem }),
    pem.replaceAll('\n', '\r\n'),
    pem.replace(/^/gm, '    '),
  ])
    assert.ok(!redact(text).includes(secret.slice(0, 16)));
});

test('without its end a key goes to the end of the text, without its beginning what can be its body goes', () => {
  assert.equal(redact(`a ${begin('')}${body}`), 'a [REDACTED:private_key]');
  assert.equal(
    redact(`the last lines say:\n${body}${end('')} b`),
    'the last lines say:\n[REDACTED:private_key] b',
  );
  const escaped = body.replaceAll('\n', '\\n');
  assert.equal(redact(`here "${escaped}${end('')}"`), 'here "[REDACTED:private_key]"');
  assert.equal(
    redact(`${begin('')}x${end('')} words ${end('')}`),
    '[REDACTED:private_key] [REDACTED:private_key]',
  );
});

test('a key that is spread over the texts of a list goes too, until its end', () => {
  const lines = ['before', ...`${begin('')}${body}${end('')}`.split('\n'), 'after'];
  const marker = '[REDACTED:private_key]';
  const { value, categories } = detector.json({ lines, n: [1, null, true, ['x']] });
  assert.deepEqual(value, {
    lines: ['before', marker, marker, marker, marker, marker, 'after'],
    n: [1, null, true, ['x']],
  });
  assert.deepEqual(categories, ['private_key']);
});

test('keys of objects are looked at as well, and two of them stay two', () => {
  const [one, other] = [`sk-${'a'.repeat(20)}`, `sk-${'b'.repeat(20)}`];
  assert.deepEqual(detector.json({ [one]: 1, [other]: other, c: 3 }).value, {
    '[REDACTED:openai_key]': 1,
    '[REDACTED:openai_key] (2)': '[REDACTED:openai_key]',
    c: 3,
  });
});

test('configured values are found in any form of text, longer ones first; short ones are not looked for', () => {
  const known = new LeakDetector(['hunter2-hunter2', 'hunter2-hunter2-and-more', 'short', '$& in it']);
  const text = 'x=hunter2-hunter2-and-more y=hunter2-hunter2 short $& in it';
  const marker = '[REDACTED:configured_secret]';
  assert.deepEqual(known.text(text), {
    value: `x=${marker} y=${marker} short ${marker}`,
    categories: ['configured_secret'],
  });
});

test('what was redacted once is not changed again', () => {
  const parts = fc.array(
    fc.oneof(
      fc.constantFrom(...secrets.map(([, secret]) => secret), begin(''), end(''), body, ' ', 'Bearer '),
      fc.string(),
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(parts, (texts) => {
      const once = redact(texts.join(' '));
      for (const [, secret] of secrets) assert.ok(!once.includes(secret));
      assert.equal(redact(once), once);
    }),
  );
});

test('the time grows with the length of the text and no faster, whatever the text repeats', () => {
  const repeated = [
    ...[
      'sk-',
      'sk-ant-',
      'SG.',
      'SG.aaaaaaaaaaaaaaaa.',
      'bearer ',
      'Bearer\t',
      'xox',
      'xoxb-',
      'ghp_',
      'AKIA',
      'AIza',
      'a',
    ],
    ...[
      '-----BEGIN ',
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      '-----END ',
      'A-----END PRIVATE KEY-----',
    ],
  ];
  for (const part of repeated) {
    const text = part.repeat(Math.ceil(400_000 / part.length));
    const before = process.threadCpuUsage();
    redact(text);
    const { user } = process.threadCpuUsage(before);
    // A square of this length would take minutes.
    assert.ok(user < 20_000_000, `${part} took ${user} µs`);
  }
});
