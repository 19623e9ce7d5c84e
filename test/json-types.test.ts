import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json as BaseJson, JsonObject as BaseJsonObject } from '@fairlead/base';
import type { Json as ExtensionJson, JsonObject as ExtensionJsonObject } from '@fairlead/extension';
import type { Json as SdkJson, JsonObject as SdkJsonObject } from '@fairlead/plugin-sdk';

/** Compiles only where each type fits where the other is asked for. */
function assignableBothWays(): readonly [SdkJson, BaseJson, SdkJsonObject, BaseJsonObject] {
  const fromBase: BaseJson = { list: [1, 'two', null, true, { three: 3 }] };
  const fromSdk: SdkJson = { list: [1, 'two', null, true, { three: 3 }] };
  const objectFromBase: BaseJsonObject = { a: fromBase };
  const objectFromSdk: SdkJsonObject = { a: fromSdk };
  return [fromBase, fromSdk, objectFromBase, objectFromSdk];
}

/** The same for the package that extensions are written with. */
function extensionsAssignable(): readonly [ExtensionJson, BaseJson, ExtensionJsonObject, BaseJsonObject] {
  const fromBase: BaseJson = { list: [1, 'two', null, true, { three: 3 }] };
  const fromExtension: ExtensionJson = { list: [1, 'two', null, true, { three: 3 }] };
  const objectFromBase: BaseJsonObject = { a: fromBase };
  const objectFromExtension: ExtensionJsonObject = { a: fromExtension };
  return [fromBase, fromExtension, objectFromBase, objectFromExtension];
}

test('the extension package’s JSON types and ours are assignable both ways', () => {
  assert.deepEqual(extensionsAssignable()[0], extensionsAssignable()[1]);
});

test('the SDK’s JSON types and ours are assignable both ways', () => {
  assert.deepEqual(assignableBothWays()[0], assignableBothWays()[1]);
});
