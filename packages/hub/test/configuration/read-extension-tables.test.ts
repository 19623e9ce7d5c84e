import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExtensionTables } from '../../src/configuration/read-extension-tables.ts';

function refusal(document: Readonly<Record<string, unknown>>): string {
  const reading = readExtensionTables(document);
  assert.ok(!reading.ok);
  return `${reading.at.join('.')} ${reading.problem}`;
}

test('a file that says nothing of extensions gives nothing', () => {
  assert.deepEqual(readExtensionTables({ gateway: { port: 1 } }), {
    ok: true,
    tables: { paths: [], settings: {}, environments: {}, agentState: {} },
    notices: [],
  });
});

test('folders, settings, environments and the agents that may be administered are read', () => {
  const reading = readExtensionTables({
    extensions: {
      path: [{ path: '../dice' }, { path: '/srv/weather' }],
      dice: { env: { TOKEN: 'x' }, settings: { sides: 6, 'odd key': ['a'] }, trusted: true },
    },
    policy: { agent_state: { schedule: ['anna'], sleepy: [] } },
  });
  assert.deepEqual(reading, {
    ok: true,
    tables: {
      paths: [
        { path: '../dice', at: ['extensions', 'path', 0] },
        { path: '/srv/weather', at: ['extensions', 'path', 1] },
      ],
      settings: { dice: { sides: 6, 'odd key': ['a'] } },
      environments: { dice: { TOKEN: 'x' } },
      agentState: { schedule: ['anna'], sleepy: [] },
    },
    notices: [],
  });
});

test('a key that this version does not know is told with the nearest one, and the rest holds', () => {
  const reading = readExtensionTables({
    extensions: { path: [{ path: 'a', pth: 1 }], dice: { setings: {}, colour: 1 } },
  });
  assert.ok(reading.ok);
  assert.deepEqual(
    reading.notices.map(({ at, message }) => `${at.join('.')}: ${message}`),
    [
      'extensions.dice.setings: is not known to this version; it is kept and has no effect (did you mean settings?)',
      'extensions.dice.colour: is not known to this version; it is kept and has no effect',
      'extensions.path.0.pth: is not known to this version; it is kept and has no effect (did you mean path?)',
    ],
  );
});

test('a value that cannot be used refuses the file, names the place and not the value', () => {
  assert.equal(refusal({ extensions: 7 }), 'extensions must be a table');
  assert.equal(
    refusal({ extensions: { path: { path: 'a' } } }),
    'extensions.path must be written as [[extensions.path]], once for each folder',
  );
  assert.equal(refusal({ extensions: { path: ['a'] } }), 'extensions.path.0 must be a table');
  for (const path of [7, '', 'a\0b', undefined])
    assert.equal(
      refusal({ extensions: { path: [{ path }] } }),
      'extensions.path.0.path must name the folder of an extension',
    );
  assert.equal(refusal({ extensions: { 'A B': {} } }), 'extensions.A B must be the name of an extension');
  assert.equal(refusal({ extensions: { dice: [] } }), 'extensions.dice must be a table');
  assert.equal(
    refusal({ extensions: { dice: { env: { A: 1 } } } }),
    'extensions.dice.env.A must be a variable and its text',
  );
  assert.equal(
    refusal({ extensions: { dice: { env: { 'A-B': 'x' } } } }),
    'extensions.dice.env.A-B must be a variable and its text',
  );
  assert.equal(
    refusal({ extensions: { dice: { settings: { at: new Date(0) } } } }),
    'extensions.dice.settings.at must be text, a number, true or false, a list or a table',
  );
  assert.equal(
    refusal({ extensions: { dice: { settings: 1 } } }),
    'extensions.dice.settings must be a table',
  );
  assert.equal(
    refusal({ policy: { agent_state: { schedule: 'anna' } } }),
    'policy.agent_state.schedule must be a list of names of agents; an empty one is none of them',
  );
  assert.equal(refusal({ policy: { agent_state: [] } }), 'policy.agent_state must be a table');
});
