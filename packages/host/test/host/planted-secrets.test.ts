import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { defineExtension, s } from '@fairlead/extension';
import { hygiene, waitFor } from '@fairlead/testing';
import { exportSession } from '../../src/entries/entry-log.ts';
import { ADA } from '../sessions/session-room.ts';
import { type HostRoom, hostRoom } from './host-room.ts';

/** What must be seen nowhere: a value of the environment, one of a known form, and a sensitive argument. */
const CONFIGURED = 'planted-0123456789-value';
const GITHUB = `ghp_${'Ab3'.repeat(12)}`;
const SENSITIVE = 'planted sensitive argument';
const MARKERS = [CONFIGURED, GITHUB, SENSITIVE];

const leaky = defineExtension({
  name: 'leaky',
  version: '1.0.0',
  tools: {
    tell: {
      about: 'Tells what it should not.',
      args: { text: s.string(), key: s.string() },
      sensitive: ['key'],
      approval: 'always',
      run: ({ text }, ctx) => {
        ctx.progress(`at work with ${GITHUB}`);
        return { text: `${text} and ${GITHUB}`, data: { list: [CONFIGURED], [GITHUB]: 1 } };
      },
    },
    fail: {
      about: 'Fails with words that it should not say.',
      args: {},
      approval: 'always',
      run: () => {
        throw new Error(`cannot log in with ${CONFIGURED} or ${GITHUB}`);
      },
    },
  },
  commands: {
    spill: {
      about: 'Fails likewise.',
      run: () => {
        throw new Error(`no ${CONFIGURED}`);
      },
    },
  },
});

const CALLS = [
  { tool: 'tell', arguments: { text: `use ${CONFIGURED}`, key: SENSITIVE } },
  { tool: 'fail', arguments: {} },
];

async function approveAll(room: HostRoom, session: string): Promise<string> {
  const by = { id: 'person:1', scopes: ['session:read', 'session:approve'] };
  let seen = '';
  for (let asked = 0; asked < CALLS.length; asked += 1) {
    await waitFor(async () => (await room.host.approvals.open()).length > 0, { what: 'the question' });
    const shown = await room.host.command({ session, line: '/approvals', by });
    const [open] = await room.host.approvals.open();
    seen += JSON.stringify([shown, open]);
    await room.host.command({ session, line: `/approve ${open?.id}`, by });
    await waitFor(async () => (await room.host.approvals.find(open?.id ?? ''))?.state === 'used', {
      what: 'its use',
    });
  }
  return seen;
}

test('a planted secret stands in no entry, approval, event, error, journal, export, answer of a command, or byte on disk', async (t) => {
  hygiene(t);
  const room = await hostRoom(t, {
    scripts: { default: [{ steps: [{ calls: CALLS }, { text: 'Done.' }] }] },
    extensions: () => [leaky],
    secrets: [CONFIGURED],
  });
  const session = await room.session('ann');
  const heard = await room.hear(session);
  await room.say(session, 'go');
  const asked = await approveAll(room, session);
  await room.host.idle();
  assert.deepEqual(
    (await room.told(session)).filter((line) => line.startsWith('end')),
    ['end completed'],
  );
  const by = { id: 'person:1', scopes: ['session:read', 'session:write', 'admin'] };
  const answers = [];
  for (const line of ['/print 200', '/info', '/costs', '/spill', '/extensions', '/help'])
    answers.push(await room.host.command({ session, line, by }));
  const exported: JsonObject[] = [];
  for await (const line of exportSession(await room.host.sessions.open(session))) exported.push(line);
  const journal = await room.floor.store.read('SELECT * FROM journal');
  const approvals = await room.floor.store.read('SELECT * FROM approvals');
  const everywhere = {
    asked,
    answers: JSON.stringify(answers),
    entries: JSON.stringify(await room.entries(session)),
    heard: JSON.stringify(heard),
    exported: JSON.stringify(exported),
    journal: JSON.stringify(journal),
    approvals: JSON.stringify(approvals),
    reports: JSON.stringify(room.reports),
    status: JSON.stringify(await room.host.status()),
  };
  for (const [where, text] of Object.entries(everywhere))
    for (const marker of MARKERS) assert.ok(!text.includes(marker), `${where} has ${marker}`);
  // What is shown instead is there, so that something was looked at.
  assert.match(everywhere.entries, /"\$masked":26/);
  assert.match(everywhere.entries, /"redacted":\["[^"]+"/);
  assert.match(everywhere.asked, /"\$masked\\*": *26/);
  await room.close();
  await room.floor.close();
  const files = readdirSync(room.floor.folder).filter((name) => name.startsWith('fairlead.db'));
  assert.ok(files.length > 0);
  for (const name of files) {
    const bytes = readFileSync(join(room.floor.folder, name));
    for (const marker of MARKERS) assert.ok(!bytes.includes(marker), `${name} has ${marker}`);
  }
});

test('with `leak = "block"` a result that holds a secret is kept back whole, an error too', async (t) => {
  hygiene(t);
  const room = await hostRoom(t, {
    scripts: { default: [{ steps: [{ calls: CALLS }, { text: 'Done.' }] }] },
    extensions: () => [leaky],
    secrets: [CONFIGURED],
    policy: { leak: 'block' },
  });
  const session = await room.session('ann');
  await room.hear(session);
  await room.say(session, 'go');
  await approveAll(room, session);
  await room.host.idle();
  const results = (await room.entries(session)).filter((entry) => entry.type === 'tool_result');
  assert.deepEqual(
    results.map((entry) => entry.type === 'tool_result' && [entry.certainty, entry.error]),
    [
      ['completed', true],
      ['outcome_unknown', true],
    ],
  );
  const text = JSON.stringify(results);
  for (const marker of MARKERS) assert.ok(!text.includes(marker));
  assert.ok(!text.includes('cannot log in') && text.includes('leak_blocked'), text);
});

test('a configured secret that somebody says stands in no entry, whoever posts it; another shape of one is what they said', async (t) => {
  hygiene(t);
  const room = await hostRoom(t, {
    scripts: { default: [{ steps: [{ text: 'Seen.' }] }, { steps: [{ text: 'Seen.' }] }] },
    secrets: [CONFIGURED],
  });
  const session = await room.session('ann');
  await room.ask(session, `my key is ${CONFIGURED}, not ${GITHUB}`);
  await room.host.runOnce({ session, text: `again ${CONFIGURED}`, from: ADA });
  assert.deepEqual(
    (await room.told(session)).filter((line) => line.startsWith('Ada:')),
    [`Ada: my key is [REDACTED:configured_secret], not ${GITHUB}`, 'Ada: again [REDACTED:configured_secret]'],
  );
});
