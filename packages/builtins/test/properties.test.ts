import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BoundedOutput } from '../src/core/shell/bounded-output.ts';
import { printedText } from '../src/core/shell/output-text.ts';
import { planSandbox } from '../src/core/shell/sandbox-plan.ts';
import { editText } from '../src/fs/edit-text.ts';

const MARKER = /\n\[truncated: (\d+) bytes left out\]\n/;

/** Pieces as a pipe hands them out: text of any kind, and bytes that are none. */
const chunks = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
  ),
  { maxLength: 12 },
);

test('whatever is printed in whatever pieces: the bound holds, no character is cut, and nothing is missing without a word', () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 4, max: 300 }), (pieces, most) => {
      const output = new BoundedOutput(300);
      for (const piece of pieces) output.push(piece);
      const whole = Buffer.concat(pieces);
      const text = output.text(most);
      assert.equal(text, text.toWellFormed());
      assert.ok(Buffer.byteLength(text.replace(MARKER, '')) <= most);
      const plain = whole.toString('utf8');
      if (Buffer.byteLength(plain) <= most) assert.equal(text, plain);
      else {
        const [head = '', , tail = ''] = text.split(MARKER);
        assert.ok(plain.startsWith(head), 'its beginning');
        assert.ok(plain.endsWith(tail) || plain.includes('\ufffd'), 'its end');
      }
    }),
    { numRuns: 500 },
  );
});

test('both outputs of a command together never pass the bound, and stderr is never silenced', () => {
  const sizes = fc.integer({ min: 0, max: 25_000 });
  fc.assert(
    fc.property(sizes, sizes, (outBytes, errBytes) => {
      const stdout = new BoundedOutput();
      const stderr = new BoundedOutput();
      stdout.push(Buffer.alloc(outBytes, 'o'));
      stderr.push(Buffer.alloc(errBytes, 'e'));
      const text = printedText(stdout, stderr);
      assert.ok(text.replaceAll(/[^oe]/g, '').length <= 10_100);
      const shown = text.match(/e{20,}/g)?.join('').length ?? 0;
      if (errBytes >= 3000) assert.ok(shown >= 2900, `${shown} of ${errBytes}`);
    }),
    { numRuns: 100 },
  );
});

test('edits of different places come out as if each had been made by itself, in any order', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 2, maxLength: 12 });
  const endings = fc.constantFrom('\n', '\r\n');
  fc.assert(
    fc.property(
      words,
      fc.func(fc.string({ maxLength: 8 })),
      endings,
      fc.nat(),
      (lines, renamed, end, turn) => {
        // Brackets keep one word from standing in another.
        const original = lines.map((word) => `<${word}>${end}`).join('');
        const edits = lines.map((word) => ({
          old_text: `<${word}>`,
          new_text: renamed(word).replaceAll(/[\r\n]/g, ''),
        }));
        const turned = [...edits.slice(turn % edits.length), ...edits.slice(0, turn % edits.length)];
        const { text, lineDelta } = editText(original, turned);
        assert.equal(text, edits.map(({ new_text }) => `${new_text}${end}`).join(''));
        assert.equal(lineDelta, 0);
      },
    ),
  );
});

test('whatever the grants: a command that they limit is held, said or refused, and never given more', () => {
  const path = fc.constantFrom('/', '/room', '/room/sub', '/data');
  const list = fc.option(fc.uniqueArray(path, { maxLength: 3 }), { nil: undefined });
  const endpoints = fc.option(fc.array(fc.constant({ host: 'example.org' }), { maxLength: 2 }), {
    nil: undefined,
  });
  const network = fc.option(fc.record({ endpoints, allowPrivate: fc.boolean() }), { nil: undefined });
  fc.assert(
    fc.property(list, list, network, fc.boolean(), (read, write, net, hasBubblewrap) => {
      const grants = {
        workspace: '/room',
        fs: { ...(read === undefined ? {} : { read }), ...(write === undefined ? {} : { write }) },
        ...(net === undefined
          ? {}
          : {
              network: {
                allowPrivate: net.allowPrivate,
                ...(net.endpoints === undefined ? {} : { endpoints: net.endpoints }),
              },
            }),
      };
      const isOpen = net === undefined || (net.endpoints === undefined && net.allowPrivate);
      const isFree = (paths: readonly string[] | undefined) => paths === undefined || paths.includes('/');
      const plan = planSandbox(grants, hasBubblewrap ? '/usr/bin/bwrap' : undefined);
      switch (plan.kind) {
        case 'unlimited':
          assert.ok(isFree(read) && isFree(write) && isOpen);
          break;
        case 'bubblewrap':
          assert.ok(hasBubblewrap);
          assert.equal(plan.hasNetwork, isOpen);
          assert.deepEqual(plan.reads, isFree(read) ? undefined : read);
          assert.deepEqual(plan.writes, isFree(write) ? undefined : write);
          if (!plan.hasNetwork && net?.endpoints?.length !== 0) assert.ok(plan.note);
          break;
        case 'unconfined':
          assert.ok(!hasBubblewrap && net?.endpoints === undefined && plan.note.startsWith('[no sandbox'));
          for (const paths of [read, write]) assert.ok(paths === undefined || paths.join() === '/room');
          break;
        default:
          assert.ok(!hasBubblewrap && !(isFree(read) && isFree(write) && isOpen));
      }
    }),
    { numRuns: 500 },
  );
});
