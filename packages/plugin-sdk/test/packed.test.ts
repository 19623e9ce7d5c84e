import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AuthorProject, authorProject, compilers, nodeOfTheMachine } from '@fairlead/testing';
import { callLine } from './served.ts';

let project: AuthorProject;
before(() => {
  project = authorProject({
    name: 'plugin-sdk',
    fixtures: join(import.meta.dirname, 'fixtures'),
    modules: ['@types/node', 'undici-types'],
  });
});
after(() => project.remove());

const oldNode = nodeOfTheMachine();
const withoutOldNode = oldNode === undefined ? 'needs a node of the machine on PATH' : false;

// Only catches hanging.
const HANGING_MS = 30_000;

test('the tarball holds the built files, README and licence, and nothing else', () => {
  assert.deepEqual(
    project.files.filter((name) => !/^package\/dist\/[a-z/-]+\.(js|d\.ts)$/.test(name)),
    ['package/LICENSE', 'package/README.md', 'package/package.json'],
  );
  assert.ok(project.files.includes('package/dist/index.js'));
  assert.ok(project.files.includes('package/dist/index.d.ts'));
});

test('the built package needs nothing but Node', () => {
  const dist = join(project.folder, 'node_modules/@fairlead/plugin-sdk/dist');
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  assert.equal(scripts.length > 5, true);
  for (const script of scripts) {
    const text = readFileSync(join(dist, script), 'utf8');
    for (const [, specifier] of text.matchAll(/\bfrom '([^']+)'/g))
      assert.match(String(specifier), /^(\.|node:)/);
  }
  const manifest: unknown = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8'));
  assert.equal(JSON.stringify(manifest).includes('ependencies'), false);
});

for (const compiler of compilers) {
  for (const [flags, options] of [
    ['every strict flag', {}],
    ['strict alone', { exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false }],
    ['a bundler', { module: 'ESNext', moduleResolution: 'Bundler' }],
  ] as const) {
    test(`${compiler}, ${flags}: the types infer and refuse what they promise, without Node's own types`, () => {
      assert.equal(project.compile(compiler, 'inference.ts', options), '');
    });
  }

  test(`${compiler}: a wrong claim about a type is noticed`, () => {
    assert.match(project.compile(compiler, 'wrong-claim.ts'), /TS2344[\s\S]*TS2578/);
  });

  test(`${compiler}: the streams of Node are accepted`, () => {
    assert.equal(project.compile(compiler, 'streams.ts', { types: ['node'], skipLibCheck: true }), '');
  });

  test(`${compiler}: a plugin in the manner of the existing SDK compiles and runs`, {
    skip: withoutOldNode,
  }, () => {
    assert.equal(project.compile(compiler, 'existing-style-plugin.ts'), '');
    assert.deepEqual(run('dist/existing-style-plugin.js', EXISTING_STYLE_REQUESTS), {
      status: 0,
      stdout: EXISTING_STYLE_ANSWERS,
      stderr: '',
    });
  });
}

test('under the Node of the machine a tool that throws ends the plugin with exit code 1', {
  skip: withoutOldNode,
}, () => {
  assert.equal(project.compile('typescript', 'existing-style-plugin.ts'), '');
  assert.deepEqual(run('dist/existing-style-plugin.js', callLine(1, 'collect', {})), {
    status: 1,
    stdout: '',
    stderr: 'fairlead plugin stopped: a tool threw instead of answering\n',
  });
});

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const snippets = [...readme.matchAll(/```ts\n\/\/ [a-z/]+\/([a-z.]+)\n([\s\S]*?)```/g)].map(
  ([, name, text]) => ({
    name: String(name),
    text: String(text),
  }),
);

test('the quick start of the README compiles and does what it says', { skip: withoutOldNode }, () => {
  const quickStart = snippets.find(({ name }) => name === 'plugin.ts');
  for (const compiler of compilers) {
    assert.equal(project.compileTexts(compiler, { 'plugin.ts': String(quickStart?.text) }), '');
  }
  const [, byHand] = /echo '(.*)' \| node dist\/plugin\.js/.exec(readme) ?? [];
  assert.deepEqual(
    run('dist/plugin.js', `${byHand}\n${callLine(2, 'divide', { dividend: 1, divisor: 0 })}`),
    {
      status: 0,
      stdout:
        '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"3.5"}],"structuredContent":{"quotient":3.5},"isError":false}}\n' +
        '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Nothing can be divided by zero."}],"structuredContent":{},"isError":true}}\n',
      stderr: '',
    },
  );
});

test('the test of the README compiles and passes', { skip: withoutOldNode }, () => {
  const snippet = snippets.find(({ name }) => name === 'plugin.test.ts');
  const options = { types: ['node'], skipLibCheck: true };
  for (const compiler of compilers) {
    assert.equal(project.compileTexts(compiler, { 'plugin.test.ts': String(snippet?.text) }, options), '');
  }
  const { status, stdout } = run('dist/plugin.test.js', '');
  assert.match(stdout, /^# pass 1$/m);
  assert.equal(status, 0);
});

function run(script: string, input: string): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(String(oldNode), [join(project.folder, script)], {
    input,
    encoding: 'utf8',
    timeout: HANGING_MS,
    // A test that runs below this one reports to its own standard output.
    env: { PATH: process.env['PATH'] },
  });
  return { status, stdout, stderr };
}

const EXISTING_STYLE_REQUESTS =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n' +
  '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n' +
  callLine(3, 'move', { path: 'a/b' }) +
  callLine(4, 'move', { path: '/etc' }) +
  callLine(5, 'press', { page_id: 'p', key: 'Enter' }) +
  callLine(6, 'press', { page_id: 'p', key: 'Escape', times: 4 }) +
  callLine(7, 'collect', { nodes: [{ role: 'button', actions: ['click'] }], extra: 1 }) +
  '{"jsonrpc":"2.0","id":8,"method":"resources/list"}\n';

const EXISTING_STYLE_ANSWERS = [
  '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}',
  '{"jsonrpc":"2.0","id":2,"result":{"tools":[' +
    '{"name":"move","title":"Move","description":"Moves one relative path.",' +
    '"inputSchema":{"type":"object","properties":{"path":{"type":"string","minLength":1,"maxLength":4096}},"required":["path"],"additionalProperties":false},' +
    '"outputSchema":{"type":"object","properties":{"path":{"type":"string","maxLength":4096},"moved":{"type":"boolean"},' +
    '"errorCode":{"type":"string","enum":["","absent","refused"],"maxLength":64}},"required":["path","moved","errorCode"],"additionalProperties":false},' +
    '"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}},' +
    '{"name":"press","description":"Presses a key.",' +
    '"inputSchema":{"type":"object","properties":{"page_id":{"type":"string","description":"An opaque page id.","minLength":1,"maxLength":64},' +
    '"key":{"type":"string","enum":["Enter","Escape"]},"times":{"type":"integer"}},"required":["page_id","key"],"additionalProperties":false}},' +
    '{"name":"collect",' +
    '"inputSchema":{"type":"object","properties":{"nodes":{"type":"array","items":{"type":"object","properties":{"role":{"type":"string"},' +
    '"name":{"type":"string"},"actions":{"type":"array","items":{"type":"string"},"maxItems":16}},"required":["role"],"additionalProperties":false},' +
    '"minItems":1,"maxItems":256}},"required":["nodes"],"additionalProperties":true},' +
    '"outputSchema":{"type":"object","properties":{"roles":{"type":"array","items":{"type":"string"}},' +
    '"support":{"type":"string","enum":["click","manual_review"]}},"required":["roles","support"],"additionalProperties":false}}]}}',
  '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Moved a/b."}],"structuredContent":{"path":"a/b","moved":true,"errorCode":""},"isError":false}}',
  '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"That path may not be moved."}],"structuredContent":{"path":"/etc","moved":false,"errorCode":"refused"},"isError":true}}',
  '{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"Done."}],"structuredContent":{"page_id":"p","key":"Enter","count":1},"isError":false}}',
  '{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"too many times"}],"structuredContent":{"code":"out_of_range","retry":false},"isError":true}}',
  '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"1 nodes, 1 more members."}],"structuredContent":{"roles":["button"],"support":"click"},"isError":false}}',
  '{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"method not found"}}',
  '',
].join('\n');
