import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { CORPUS_MAX_BYTES, CorpusFolder, inputName } from './corpus-folder.ts';
import { readFuzzCommand } from './fuzz-options.ts';
import { runFuzz } from './run-fuzz.ts';
import { loadTarget, targetNames } from './targets/index.ts';
import { target as magic } from './toys/magic.target.ts';

const corpus = join(import.meta.dirname, 'corpus');

/** The command in a process of its own: its threads count what ran by themselves, and the coverage of the tests is not theirs. */
function fuzz(...args: readonly string[]) {
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const main = join(import.meta.dirname, 'main.ts');
  return spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    cwd: repositoryRoot,
    env,
    encoding: 'utf8',
    timeout: 170_000,
  });
}

describe('npm run fuzz', () => {
  // Some at a time: what the corpora need comes on top of the time for new inputs, and a busy machine is to have enough of it.
  const groups = [0, 5, 10, 15].map((from) => targetNames.slice(from, from + 5));
  test('every target is in a group', () => assert.deepEqual(groups.flat(), targetNames));
  for (const names of groups)
    test(`every target from ${names[0]} to ${names.at(-1)} takes its whole corpus and five seconds of new inputs, and all holds`, async (t) => {
      const { status, stdout, stderr } = fuzz('--target', names.join(), '--seconds', '5', '--jobs', '2');
      t.diagnostic(stdout.split('\n')[0] ?? '');
      assert.equal(status, 0, `${stdout}${stderr}`);
      for (const name of names) {
        const inputs = Number(new RegExp(`^ok {3}${name} +(\\d+) inputs`, 'm').exec(stdout)?.[1]);
        const { target } = await loadTarget(name);
        const old = new CorpusFolder(corpus, name).read().length + target.seeds().length;
        assert.ok(inputs > old, `${name}: ${inputs} inputs, of which ${old} are old`);
      }
    });

  test('one input is run again by the name of its file', () => {
    const [first = ''] = readdirSync(join(corpus, 'json-scanner'));
    const input = join(corpus, 'json-scanner', first);
    const { status, stdout } = fuzz('--target', 'json-scanner', '--input', input);
    assert.equal(status, 0);
    assert.match(stdout, /^ok {3}json-scanner /m);
  });

  test('what fails is written to a file, and a line says how to run it again', async (t) => {
    const folder = temporaryFolder(t);
    new CorpusFolder(join(folder, 'corpus'), 'magic').write([
      Buffer.from('..\xff'),
      Buffer.from('F\xc3!more', 'latin1'),
    ]);
    const module = new URL('./toys/magic.target.ts', import.meta.url).href;
    const said: string[] = [];
    const status = await runFuzz(
      ['--seconds', '0', '--seed', '3'],
      { out: (text) => void said.push(text), err: assert.fail },
      { names: ['magic'], load: async () => ({ target: magic, module }), folder },
    );
    assert.equal(status, 1);
    const [file = ''] = readdirSync(join(folder, 'failures'));
    assert.equal(readFileSync(join(folder, 'failures', file), 'latin1'), 'F\xc3!');
    const [seed, line, message, again] = said.join('').split('\n');
    assert.equal(seed, 'seed 3');
    assert.match(line ?? '', /^FAIL magic +\d+ inputs, \d+\/s, \d+ features, 0 new$/);
    assert.equal(message, '     the magic was said');
    const path = relative(repositoryRoot, join(folder, 'failures', file));
    assert.equal(again, `     again: npm run fuzz -- --target magic --input ${path}`);
  });

  test('a file that is not there is a wrong command line, and no fault', () => {
    const { status, stderr } = fuzz('--target', 'json-scanner', '--input', join(corpus, 'none'));
    assert.equal(status, 2);
    assert.equal(stderr, `there is no file ${join(corpus, 'none')}\n`);
  });

  test('a command line that cannot be meant says what there is', () => {
    const { status, stderr } = fuzz('--target', 'nothing');
    assert.equal(status, 2);
    assert.match(stderr, /^no target is called nothing; there are json-scanner, /);
    const known = ['a', 'b'];
    const read = (...args: readonly string[]) => readFuzzCommand(args, known, () => 7);
    assert.deepEqual(read(), {
      targets: ['a', 'b'],
      budgetMs: 600_000,
      seed: 7,
      jobs: 1,
      keeps: false,
      input: undefined,
    });
    assert.equal(read('--input', 'x'), '--input needs the one --target that it is for');
    assert.equal(read('--seed', 'x'), '--seed takes a whole number');
    assert.equal(read('--minutes', 'x'), '--minutes and --seconds take a number');
    assert.equal(read('--jobs', '0'), '--jobs takes a number from 1');
    assert.match(String(read('--what')), /--what/);
  });
});

describe('a target', () => {
  test('says what it holds, is called as its file, and covers files that there are', async () => {
    const files = globSync('*.ts', { cwd: join(import.meta.dirname, 'targets') });
    const others = new Set(['ajv-limits.ts', 'index.ts', 'store-history.ts']);
    assert.deepEqual(
      files
        .filter((file) => !others.has(file))
        .map((file) => file.replace('.ts', ''))
        .sort(),
      [...targetNames].sort(),
    );
    for (const name of targetNames) {
      const { target } = await loadTarget(name);
      assert.equal(target.name, name);
      assert.ok(target.holds.length > 20 && target.seeds().length > 0, name);
      for (const path of target.covers) assert.ok(existsSync(join(repositoryRoot, path)), path);
    }
  });

  test('keeps a corpus of small files, named by what they hold, 200 KiB at most', () => {
    assert.deepEqual(readdirSync(corpus).sort(), [...targetNames].sort());
    for (const name of targetNames) {
      const folder = new CorpusFolder(corpus, name);
      const inputs = folder.read();
      assert.ok(inputs.length > 0, name);
      assert.deepEqual(readdirSync(folder.path).sort(), inputs.map(inputName).sort(), name);
      const bytes = readdirSync(folder.path).reduce(
        (sum, file) => sum + statSync(join(folder.path, file)).size,
        0,
      );
      assert.ok(bytes <= CORPUS_MAX_BYTES, `${name} has ${bytes}`);
    }
  });

  test('a corpus that is written holds those inputs and no older ones', (t) => {
    const folder = new CorpusFolder(temporaryFolder(t), 'x');
    assert.deepEqual(folder.read(), []);
    folder.write([Buffer.from('a'), Buffer.from('b')]);
    folder.write([Buffer.from('b')]);
    assert.deepEqual(readdirSync(folder.path), ['3e23e8160039594a']);
    assert.equal(readFileSync(join(folder.path, '3e23e8160039594a'), 'utf8'), 'b');
  });
});
