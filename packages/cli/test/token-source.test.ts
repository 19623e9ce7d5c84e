import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { findRunnerToken, findToken, type TokenInputs } from '../src/client/token-source.ts';

const pat = (name: string) => `fairlead_pat_${name.padEnd(43, 'x')}`;

/** A folder with every source filled. */
function everySource(t: TestContext): TokenInputs {
  hygiene(t);
  const cwd = temporaryFolder(t);
  const stateDirectory = join(cwd, 'state');
  mkdirSync(stateDirectory);
  writeFileSync(join(stateDirectory, 'operator.token'), `${pat('operator')}\n`);
  writeFileSync(join(cwd, 'token'), `  ${pat('file')}\r\n`);
  return {
    token: pat('flag'),
    tokenFile: 'token',
    env: { FAIRLEAD_TOKEN: ` ${pat('token-variable')} `, FAIRLEAD_PAT: pat('pat-variable') },
    cwd,
    stateDirectory,
    operatorToken: 'allowed',
  };
}

test('flag, file, FAIRLEAD_TOKEN, FAIRLEAD_PAT, operator token: the first that is there', async (t) => {
  let inputs = everySource(t);
  assert.equal(await findToken(inputs), pat('flag'));
  inputs = { ...inputs, token: undefined };
  assert.equal(await findToken(inputs), pat('file'));
  inputs = { ...inputs, tokenFile: undefined };
  assert.equal(await findToken(inputs), pat('token-variable'));
  inputs = { ...inputs, env: { FAIRLEAD_TOKEN: '  ', FAIRLEAD_PAT: pat('pat-variable') } };
  assert.equal(await findToken(inputs), pat('pat-variable'));
  inputs = { ...inputs, env: {} };
  assert.equal(await findToken(inputs), pat('operator'));
});

test('the two variables of an env file go between --token-file and those of the environment', async (t) => {
  const inputs = { ...everySource(t), token: undefined, envFile: 'env' };
  const write = (text: string) => writeFileSync(join(inputs.cwd, 'env'), text);
  write(`# tokens\nOTHER=x\nFAIRLEAD_PAT="${pat('env-pat')}"\nexport FAIRLEAD_TOKEN=${pat('env-token')}\n`);
  assert.equal(await findToken(inputs), pat('file'));
  const without = { ...inputs, tokenFile: undefined };
  assert.equal(await findToken(without), pat('env-token'));
  write(`FAIRLEAD_TOKEN=\nFAIRLEAD_PAT=${pat('env-pat')}\n`);
  assert.equal(await findToken(without), pat('env-pat'));
  write('OTHER=x\n');
  assert.equal(await findToken(without), pat('token-variable'));
  write(`FAIRLEAD_TOKEN=fairlead_runner_${'x'.repeat(43)}\n`);
  await assert.rejects(findToken(without), { code: 'runner_token_refused' });
});

test('an env file that is absent or larger than 64 KiB is told', async (t) => {
  const inputs = { ...everySource(t), token: undefined, tokenFile: undefined, envFile: 'absent' };
  await assert.rejects(findToken(inputs), { code: 'env_file_unreadable' });
  writeFileSync(join(inputs.cwd, 'large'), `A=${'x'.repeat(65_536)}\n`);
  await assert.rejects(findToken({ ...inputs, envFile: 'large' }), { code: 'env_file_unreadable' });
});

test('the operator token is for its own host alone', async (t) => {
  const bare = { ...everySource(t), token: undefined, tokenFile: undefined, env: {} };
  await assert.rejects(findToken({ ...bare, operatorToken: 'other_address' }), {
    code: 'token_missing',
    message: `No token was given and the operator token of ${bare.stateDirectory} is sent to its own host alone; nothing was sent.`,
    detail: { looked_in: ['--token', '--token-file', '--env-file', 'FAIRLEAD_TOKEN', 'FAIRLEAD_PAT'] },
  });
  await assert.rejects(findToken({ ...bare, operatorToken: 'no_host' }), {
    code: 'token_missing',
    message: `No token was given and no host is ready on ${bare.stateDirectory}; nothing was sent.`,
  });
});

test('without any source it says where it looked', async (t) => {
  const inputs = everySource(t);
  const stateDirectory = join(inputs.cwd, 'nowhere');
  await assert.rejects(
    findToken({ ...inputs, token: undefined, tokenFile: undefined, env: {}, stateDirectory }),
    {
      code: 'token_missing',
      message: 'No token was given and none was found; nothing was sent.',
      detail: {
        looked_in: [
          '--token',
          '--token-file',
          '--env-file',
          'FAIRLEAD_TOKEN',
          'FAIRLEAD_PAT',
          join(stateDirectory, 'operator.token'),
        ],
      },
    },
  );
});

test('a Runner’s token is refused from every source', async (t) => {
  const inputs = everySource(t);
  const secret = `fairlead_runner_${'x'.repeat(43)}`;
  writeFileSync(join(inputs.cwd, 'runner-token'), secret);
  writeFileSync(join(inputs.stateDirectory, 'operator.token'), secret);
  const none = { ...inputs, token: undefined, tokenFile: undefined, env: {} };
  for (const one of [
    { ...none, token: secret },
    { ...none, tokenFile: 'runner-token' },
    { ...none, env: { FAIRLEAD_TOKEN: secret } },
    { ...none, env: { FAIRLEAD_PAT: secret } },
    none,
  ]) {
    await assert.rejects(findToken(one), (error: Error & { code?: string }) => {
      return error.code === 'runner_token_refused' && !error.message.includes(secret);
    });
  }
});

test('what cannot stand in a header is refused and not repeated', async (t) => {
  const inputs = everySource(t);
  for (const token of ['two words', 'line\nbreak', 'é', 'x'.repeat(513), '']) {
    await assert.rejects(findToken({ ...inputs, token }), {
      code: 'token_malformed',
      message: 'The token holds characters that no token has; nothing was sent.',
    });
  }
});

test('a token file that is absent, a folder, empty or too long is named', async (t) => {
  const inputs = { ...everySource(t), token: undefined };
  writeFileSync(join(inputs.cwd, 'empty'), ' \n');
  writeFileSync(join(inputs.cwd, 'long'), 'x'.repeat(5_000));
  for (const [tokenFile, what] of [
    ['absent', 'cannot be read'],
    ['state', 'cannot be read'],
    ['empty', 'does not hold a token'],
    ['long', 'does not hold a token'],
    ['/dev/zero', 'does not hold a token'],
  ] as const) {
    await assert.rejects(findToken({ ...inputs, tokenFile }), (error: Error & { code?: string }) => {
      return error.code === 'token_file_unreadable' && error.message.includes(what);
    });
  }
});

test('a token file may be a pipe', async (t) => {
  const inputs = { ...everySource(t), token: undefined };
  const pipe = join(inputs.cwd, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const found = findToken({ ...inputs, tokenFile: pipe });
  createWriteStream(pipe).end(`${pat('piped')}\n`);
  assert.equal(await found, pat('piped'));
});

test('a Runner takes --token-file, FAIRLEAD_RUNNER_TOKEN, the token of its configuration, then runner.token', async (t) => {
  const { cwd } = everySource(t);
  const stateDirectory = join(cwd, 'no-state');
  const secret = (name: string) => `fairlead_runner_${name.padEnd(43, 'x')}`;
  writeFileSync(join(cwd, 'runner-token'), `${secret('file')}\n`);
  const env = { FAIRLEAD_RUNNER_TOKEN: secret('variable') };
  const configToken = secret('config');
  assert.equal(
    await findRunnerToken({ tokenFile: 'runner-token', env, cwd, stateDirectory, configToken }),
    secret('file'),
  );
  assert.equal(await findRunnerToken({ env, cwd, stateDirectory, configToken }), secret('variable'));
  assert.equal(
    await findRunnerToken({ env: { FAIRLEAD_RUNNER_TOKEN: ' ' }, cwd, stateDirectory, configToken }),
    secret('config'),
  );
  await assert.rejects(findRunnerToken({ env: {}, cwd, stateDirectory }), { code: 'runner_token_missing' });
  await assert.rejects(findRunnerToken({ env: {}, cwd, stateDirectory, configToken: pat('x') }), {
    code: 'personal_token_refused',
  });
  await assert.rejects(findRunnerToken({ env: {}, cwd, stateDirectory, tokenFile: 'absent' }), {
    code: 'token_file_unreadable',
  });
  mkdirSync(stateDirectory);
  writeFileSync(join(stateDirectory, 'runner.token'), `${secret('joined')}\n`);
  assert.equal(await findRunnerToken({ env: {}, cwd, stateDirectory }), secret('joined'));
  assert.equal(await findRunnerToken({ env: {}, cwd, stateDirectory, configToken }), secret('config'));
  await assert.rejects(findRunnerToken({ env: {}, cwd, stateDirectory, configToken: 'a b' }), {
    code: 'token_malformed',
  });
});
