import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';
import { parse } from 'smol-toml';
import { backendLimits, ceilingDefaults, modelLimits, scriptLimits, usageLimits } from '../../src/limits.ts';
import { readBackends } from '../../src/models/configuration/read-backends.ts';
import { readScript } from '../../src/models/scripted/read-script.ts';
import { readUsageSettings } from '../../src/usage/read-limits.ts';

const page = readFileSync(join(repositoryRoot, 'docs/reference/models.md'), 'utf8');

function block(language: string): string {
  const [, text] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  assert.ok(text !== undefined);
  return text;
}

test('the page’s configuration is one that is taken without a word', () => {
  const document = parse(block('toml'));
  const backends = readBackends(document);
  assert.ok(backends.ok);
  assert.deepEqual(backends.notices, []);
  assert.deepEqual([backends.value.model, backends.value.backends.length], ['local/qwen3', 3]);
  const usage = readUsageSettings(document, 'UTC');
  assert.ok(usage.ok);
  assert.deepEqual([usage.value.ceilings.turn.nanousd, usage.value.zone], [1_000_000_000, 'Europe/Berlin']);
});

test('the page’s script is one', () => {
  const reading = readScript(Buffer.from(block('json')));
  assert.ok(reading.ok, JSON.stringify(reading));
});

test('the page’s numbers are those of the code', () => {
  assert.deepEqual(
    [
      backendLimits.requestTimeoutSecs,
      backendLimits.requestTimeoutMaxSecs,
      backendLimits.maxRetries,
      backendLimits.maxRetriesMax,
      backendLimits.maxTokens,
      backendLimits.maxTokensMax,
      backendLimits.contextWindow,
      backendLimits.priceMax,
      backendLimits.backends,
      backendLimits.models,
    ],
    [120, 300, 3, 10, 8192, 1_000_000, 128_000, 100_000, 64, 256],
  );
  assert.deepEqual(
    [
      modelLimits.retryMs,
      modelLimits.retryMaxMs,
      modelLimits.retryAfterMaxMs,
      modelLimits.jitter,
      modelLimits.attemptMs,
      modelLimits.replyBytes,
      modelLimits.said,
      modelLimits.calls,
      modelLimits.arguments.maxBytes,
      modelLimits.arguments.maxDepth,
      modelLimits.arguments.maxNodes,
    ],
    [1000, 30_000, 60_000, 0.25, 1_800_000, 33_554_432, 200, 128, 1_048_576, 64, 50_000],
  );
  assert.deepEqual(
    [
      scriptLimits.json.maxBytes,
      scriptLimits.json.maxNodes,
      scriptLimits.json.maxDepth,
      scriptLimits.delayMs,
    ],
    [4_194_304, 200_000, 48, 600_000],
  );
  assert.deepEqual(ceilingDefaults.day, { tokens: 20_000_000, nanousd: 50_000_000_000 });
  assert.deepEqual([usageLimits.modelCalls, usageLimits.modelCallsMax], [10, 256]);
});
