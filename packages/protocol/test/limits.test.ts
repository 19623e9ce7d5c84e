// native-plugin-protocol §6, §12, §13, §15
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  argumentsBounds,
  catalogLimits,
  configReportLimits,
  definitionPartBounds,
  frameBounds,
  frameLimits,
  initializeBounds,
  linkBounds,
  linkLimits,
  PROTOCOL_VERSION,
  projectCatalogLimits,
  providerLimits,
  REPORT_DETAIL_MAX_BYTES,
  RESULT_MAX_ITEMS,
  resultBounds,
  schemaLimits,
  timeoutLimits,
} from '../src/index.ts';

describe('the numbers of the protocol', () => {
  it('are the ones that plugins rely on', () => {
    const part = { maxDepth: 16, maxNodes: 4096, maxStringBytes: 524_288, maxKeyBytes: 1024 };
    assert.equal(PROTOCOL_VERSION, 'webcodex-plugin-v1');
    assert.deepEqual(frameLimits, { maxBytes: 1_048_576 });
    assert.equal(frameBounds.maxBytes, 1_048_576);
    assert.deepEqual(initializeBounds, { ...part, maxBytes: 1_048_576 });
    assert.deepEqual(definitionPartBounds, { ...part, maxBytes: 65_536 });
    assert.deepEqual(argumentsBounds, { ...part, maxBytes: 65_536 });
    assert.deepEqual(resultBounds, { ...part, maxBytes: 524_288 });
    assert.equal(RESULT_MAX_ITEMS, 32);
    assert.equal(REPORT_DETAIL_MAX_BYTES, 512);
    assert.deepEqual(providerLimits, { maxProviders: 8, idMaxBytes: 64, nameMaxBytes: 128 });
    assert.deepEqual(projectCatalogLimits, {
      maxEntries: 1024,
      descriptionMaxBytes: 512,
      linkMaxBytes: 65_536,
    });
    assert.deepEqual(configReportLimits, {
      fieldMaxLength: 256,
      maxChanged: 256,
      maxFaults: 8,
      maxIgnored: 32,
    });
    assert.deepEqual(catalogLimits, {
      maxTools: 128,
      toolNameMaxBytes: 128,
      titleMaxBytes: 128,
      descriptionMaxBytes: 4096,
    });
    assert.deepEqual(schemaLimits, {
      maxProperties: 128,
      maxRequired: 128,
      maxEnum: 128,
      maxInputLength: 65_536,
      maxOutputLength: 524_288,
      maxItems: 4096,
    });
    assert.deepEqual(timeoutLimits, {
      defaultSecs: 30,
      minSecs: 1,
      maxSecs: 120,
    });
  });
});

describe('the numbers of the Runner link', () => {
  it('are the ones that both ends rely on', () => {
    assert.deepEqual(linkLimits, {
      frameMaxBytes: 8_388_608,
      codeMaxLength: 80,
      messageMaxBytes: 512,
      nameMaxBytes: 128,
      maxCapabilities: 32,
      maxProjects: 64,
      deadlineMaxMs: 600_000,
      registerWithinMs: 15_000,
      pingIntervalMs: 30_000,
      missedPings: 2,
      silentHoldMs: 60_000,
      takenRetryMs: 75_000,
      reconnectDelaysMs: [1000, 2000, 5000, 10_000, 30_000],
      stableAfterMs: 60_000,
      maxQueued: 256,
      maxOutgoing: 64,
      readBudgetMs: 10_000,
      callMarginMs: 5000,
      manageBudgetMs: 125_000,
    });
    assert.equal(linkBounds.maxBytes, 8_388_608);
    assert.equal(linkBounds.maxDepth, 128);
  });
});
