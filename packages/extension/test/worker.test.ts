import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import type { CallRequest } from '../src/carrier/carrier.ts';
import type { Json } from '../src/json/json.ts';
import { OutputRing } from '../src/worker/output-ring.ts';
import { WorkerCarrier, type WorkerCarrierOptions } from '../src/worker/worker-carrier.ts';
import { RecordingHost } from './contract/recording-host.ts';

const fixture = (name: string) => new URL(`./fixtures/worker/${name}.ts`, import.meta.url);

async function rough(t: TestContext, options: Partial<WorkerCarrierOptions> = {}) {
  hygiene(t);
  const host = new RecordingHost();
  const deaths: string[] = [];
  const carrier: WorkerCarrier = await WorkerCarrier.start({
    module: fixture('rough'),
    host: host as never,
    onDeath: () => deaths.push(carrier.dead?.code ?? 'none'),
    ...options,
  });
  t.after(() => carrier.end());
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  let calls = 0;
  const request = (name: string, input: Json = {}): CallRequest => {
    calls += 1;
    return { call: calls, instance: 'g', endpoint: 'tool', name, input, context: { settings: {}, caps: {} } };
  };
  const call = async (name: string, input?: Json): Promise<unknown> => {
    try {
      return ((await carrier.call(request(name, input))) as { text: string }).text;
    } catch (error) {
      const { code, certainty } = error as { code: string; certainty: string };
      return { code, certainty };
    }
  };
  return { carrier, host, deaths, call, request };
}

const refused = (module: URL, more: Partial<WorkerCarrierOptions> = {}) =>
  WorkerCarrier.start({ module, host: new RecordingHost() as never, ...more });

test('its environment holds what it was given, and nothing of the host’s', async (t) => {
  const { call } = await rough(t, { env: { TOKEN: 'x' } });
  assert.equal(await call('environment'), '{"TOKEN":"x"}');
});

test('what it prints is kept, and told as it comes', async (t) => {
  const told: string[] = [];
  let heard = (): void => {};
  const both = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const { call, carrier } = await rough(t, {
    onOutput: (text) => {
      told.push(text);
      if (told.join('').includes('and an error\n') && told.join('').includes('hello\n')) heard();
    },
  });
  await call('print', { text: 'hello' });
  await both;
  assert.deepEqual(carrier.output().split('\n').sort(), ['', 'and an error', 'hello']);
});

test('the ring keeps the newest bytes', () => {
  const ring = new OutputRing(8);
  ring.add(Buffer.from('abc'));
  ring.add(Buffer.from('defg'));
  assert.equal(ring.text(), 'abcdefg');
  ring.add(Buffer.from('hij'));
  assert.equal(ring.text(), 'cdefghij');
  ring.add(Buffer.from('0123456789'));
  assert.equal(ring.text(), '23456789');
});

for (const [how, reason] of [
  ['throws_later', /a loose end/],
  ['exits', /exit code 3/],
  ['babbles', /no frame/],
] as const) {
  test(`a worker that ${how.replace('_', ' ')} costs the calls in flight their outcome, and later ones nothing`, async (t) => {
    const { call, carrier, host, deaths } = await rough(t);
    const waiting = call('waits');
    await host.until(() => host.messages.includes('waiting'));
    const last = call(how);
    assert.deepEqual(await waiting, { code: 'extension_crashed', certainty: 'outcome_unknown' });
    await last;
    assert.equal(carrier.dead?.code, 'extension_crashed');
    assert.match(carrier.dead?.reason ?? '', reason);
    assert.deepEqual(await call('environment'), { code: 'extension_crashed', certainty: 'not_started' });
    await assert.rejects(carrier.open({ instance: 'h', kind: 'global', key: '', settings: {} }), {
      code: 'extension_crashed',
    });
    await carrier.close('g');
    await carrier.idle();
    await carrier.end();
    assert.deepEqual(deaths, ['extension_crashed']);
  });
}

test('a worker that ends as soon as it was ready is dead, also for a host that was busy meanwhile', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const [module, ending] = [join(folder, 'hasty.ts'), join(folder, 'ending')];
  writeFileSync(
    module,
    `import { writeFileSync } from 'node:fs';
     import { defineExtension } from '@fairlead/extension';
     setTimeout(() => {
       writeFileSync(${JSON.stringify(ending)}, '');
       process.exit(3);
     }, 0);
     export default defineExtension({ name: 'hasty', version: '1.0.0' });`,
  );
  let deaths = 0;
  const starting = refused(pathToFileURL(module), { onDeath: () => (deaths += 1) });
  // This thread hears of both only when the other one is gone.
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let looks = 0; looks < 6000 && !existsSync(ending); looks += 1) Atomics.wait(cell, 0, 0, 10);
  assert.ok(existsSync(ending), 'it never ended');
  Atomics.wait(cell, 0, 0, 500);
  const carrier = await starting;
  await waitFor(() => carrier.dead, { what: 'the death' });
  assert.deepEqual(carrier.dead, { code: 'extension_crashed', reason: 'it ended with exit code 3' });
  assert.equal(deaths, 1);
  await carrier.end();
});

test('a worker that takes more than 256 MiB is ended, and says so', async (t) => {
  // Its 256 MiB may take a busy machine longer than a thread may be silent.
  const { call, carrier } = await rough(t, { clock: manualClock() });
  assert.deepEqual(await call('hoards'), { code: 'extension_crashed', certainty: 'outcome_unknown' });
  assert.match(carrier.dead?.reason ?? '', /memory/);
});

test('a thread that is blocked for 10 s is ended as unresponsive', async (t) => {
  const clock = manualClock();
  const { call, carrier, host, deaths } = await rough(t, { clock });
  const blocked = call('blocks');
  await host.until(() => host.messages.includes('blocking'));
  await clock.advance(9000);
  assert.equal(carrier.dead, undefined);
  await clock.advance(2000);
  assert.deepEqual(await blocked, { code: 'extension_unresponsive', certainty: 'outcome_unknown' });
  assert.deepEqual(deaths, ['extension_unresponsive']);
  await carrier.end();
});

test('a host that stood still for a minute ends none of its workers, and still finds one that is blocked', async (t) => {
  const moved = manualClock();
  let stoodMs = 0;
  const clock = {
    monotonicMs: () => moved.monotonicMs() + stoodMs,
    wallMs: () => moved.wallMs() + stoodMs,
    setTimer: moved.setTimer,
  };
  const { call, carrier, host } = await rough(t, { clock });
  // As after Ctrl-Z and `fg`: the clock went on, and the timer that was due fires once.
  stoodMs = 60_000;
  await moved.advance(1000);
  assert.equal(carrier.dead, undefined);
  assert.equal(await call('environment'), '{}');
  const blocked = call('blocks');
  await host.until(() => host.messages.includes('blocking'));
  await moved.advance(9000);
  assert.equal(carrier.dead, undefined);
  await moved.advance(2000);
  assert.deepEqual(await blocked, { code: 'extension_unresponsive', certainty: 'outcome_unknown' });
  await carrier.end();
});

test('a thread that answers pings lives on', async (t) => {
  const clock = manualClock();
  const { call, carrier } = await rough(t, { clock });
  for (let second = 0; second < 15; second += 1) {
    await clock.advance(1000);
    assert.equal(await call('environment'), '{}');
  }
  assert.equal(carrier.dead, undefined);
});

test('an ending that a blocked thread does not hear is forced', async (t) => {
  const clock = manualClock();
  const { call, carrier, host, deaths } = await rough(t, { clock });
  const blocked = call('blocks');
  await host.until(() => host.messages.includes('blocking'));
  const ending = carrier.end();
  await clock.advance(6000);
  await ending;
  assert.deepEqual(await blocked, { code: 'extension_ended', certainty: 'outcome_unknown' });
  assert.equal(carrier.dead?.code, 'extension_ended');
  assert.deepEqual(deaths, []);
});

test('a rejection that nobody handles is told and ends nothing; ten in a minute end the worker', async (t) => {
  const { call, carrier, host } = await rough(t);
  await call('rejects', { times: 3 });
  await host.until(() => host.lines.length === 3);
  assert.equal(host.messages[0], 'a promise was rejected and nobody handled it: loose 0');
  assert.equal(await call('environment'), '{}');
  const waiting = call('waits');
  await host.until(() => host.messages.includes('waiting'));
  await call('rejects', { times: 7 });
  assert.deepEqual(await waiting, { code: 'extension_crashed', certainty: 'outcome_unknown' });
  assert.match(carrier.dead?.reason ?? '', /10 rejections/);
});

test('what it left open is named at its end, with the place', async (t) => {
  // However long it looks for what is open, it is not ended by force meanwhile.
  const { call, carrier, host } = await rough(t, { watch: true, clock: manualClock() });
  assert.equal(await call('leaks'), 'true');
  await carrier.end();
  const { message, data } = host.lines.at(-1) ?? { message: '', data: null };
  assert.match(
    message,
    /^left open: timer opened at rough\.ts:\d+:\d+, TCP server opened at rough\.ts:\d+:\d+$/,
  );
  assert.equal((data as { left_open: string[] }).left_open.length, 2);
});

test('a module that is no extension is refused with what is wrong, and its thread is gone', async (t) => {
  hygiene(t);
  await assert.rejects(refused(fixture('no-default')), { code: 'extension_not_defined' });
  await assert.rejects(refused(fixture('plain-default')), { code: 'extension_not_defined' });
  await assert.rejects(refused(fixture('throws')), {
    code: 'extension_load_failed',
    message: 'this file is out of order at throws.ts:1:7',
  });
  await assert.rejects(refused(fixture('nowhere')), { code: 'extension_load_failed' });
  const file = join(temporaryFolder(t), 'colours.ts');
  writeFileSync(file, 'export enum Colour { Red }');
  await assert.rejects(refused(pathToFileURL(file)), { code: 'typescript_unsupported' });
  await assert.rejects(refused(fixture('bad-manifest')), {
    code: 'manifest_invalid',
    message: /name: \/name must be a small letter/,
  });
  await assert.rejects(refused(fixture('other-api')), { code: 'api_unsupported' });
});

test('an error of loading has its file and line, and no path of the machine', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'a b/src'), { recursive: true });
  mkdirSync(join(folder, 'a b/node_modules/dep'), { recursive: true });
  const at = join(folder, 'a b');
  writeFileSync(join(at, 'package.json'), '{"type":"module"}');
  writeFileSync(join(at, 'node_modules/dep/index.js'), 'exports.f = () => { throw new Error("deep"); };');
  const table: readonly (readonly [string, string, RegExp])[] = [
    [
      'export const a = 1;\nconst b = ;',
      'extension_load_failed',
      /^Expression expected at src\/extension\.ts:2:11$/,
    ],
    ['\nexport enum A { B }', 'typescript_unsupported', / at src\/extension\.ts:2:8$/],
    [
      'type A = 1;\n\n\n  throw new Error("top");',
      'extension_load_failed',
      /^top at src\/extension\.ts:4:9$/,
    ],
    ['import { nope } from "node:fs";', 'extension_load_failed', / at src\/extension\.ts:1:10$/],
    [
      'import "./nope.ts";',
      'extension_load_failed',
      /^Cannot find module 'src\/nope\.ts' imported from src\/extension\.ts$/,
    ],
    ['import { f } from "dep";\nf();', 'extension_load_failed', /^deep at src\/extension\.ts:2:1$/],
    ['throw 5;', 'extension_load_failed', /^5$/],
    ['throw { toString() { throw 1; } };', 'extension_load_failed', /^something that has no text$/],
    [
      'throw Object.defineProperty(new Error("x"), "stack", { get() { throw 1; } });',
      'extension_load_failed',
      /^x$/,
    ],
    ['throw Object.assign(new Error("x"), { stack: 5 });', 'extension_load_failed', /^x$/],
    ['throw Object.assign(new Error("y".repeat(9999)), { stack: 5 });', 'extension_load_failed', /^y{399}…$/],
  ];
  const module = pathToFileURL(join(at, 'src/extension.ts'));
  for (const [text, code, message] of table) {
    writeFileSync(module, text);
    await assert.rejects(refused(module, { folder: pathToFileURL(`${at}/`) }), { code, message }, text);
  }
});

test('a misspelt gate is refused where it is loaded, with the name that was meant', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'gate.ts');
  const load = (literal: string) => {
    const head = "import { defineExtension } from '@fairlead/extension';\nexport default defineExtension(";
    writeFileSync(file, `${head}${literal} as never);`);
    return refused(pathToFileURL(file));
  };
  await assert.rejects(
    load("{ name: 'gate', version: '1', gates: ['x'], on: { toolcall: () => ({ block: 'no' }) } }"),
    {
      code: 'manifest_invalid',
      message:
        /\(global\.on\.toolcall is not a hook \(is toolCall meant\?\); global\.gates stands without on\.toolCall\)$/,
    },
  );
  await assert.rejects(load("{ name: 'gate', version: '1', on: { toolCall: 5 } }"), {
    code: 'manifest_invalid',
    message: /global\.on\.toolCall is no function/,
  });
  await assert.rejects(load("{ name: 'gate', version: '1', uses: { get odd() { throw 1; } } }"), {
    code: 'extension_load_failed',
  });
});

test('a module that never finishes loading is given up after 30 s', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const loading = assert.rejects(refused(fixture('never'), { clock }), {
    code: 'extension_load_failed',
    message: /not ready within 30000 ms/,
  });
  await clock.advance(30_000);
  await loading;
});

test('a module finds the host’s own copy of the package, wherever it stands', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const file = join(folder, 'extension.ts');
  writeFileSync(
    file,
    `import { defineExtension } from '@fairlead/extension';
     import { harness } from '@fairlead/extension/testing';
     import { definerFor } from '@fairlead/extension/builtin';
     export default defineExtension({ name: 'far', version: '1.0.0', tools: {
       kinds: { about: 'x', run: () => typeof harness + typeof definerFor } } });`,
  );
  const host = new RecordingHost();
  const carrier = await WorkerCarrier.start({ module: pathToFileURL(file), host: host as never });
  t.after(() => carrier.end());
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  const answer = await carrier.call({
    call: 1,
    instance: 'g',
    endpoint: 'tool',
    name: 'kinds',
    input: {},
    context: { settings: {}, caps: {} },
  });
  assert.deepEqual(answer, { text: 'functionfunction', isError: false });
});

test('a message of 1 MiB is not posted, and was not started', async (t) => {
  const { carrier, request } = await rough(t);
  assert.throws(() => carrier.call(request('print', { text: 'x'.repeat(1024 * 1024) })), {
    code: 'frame_too_large',
    certainty: 'not_started',
  });
  await carrier.idle();
});
