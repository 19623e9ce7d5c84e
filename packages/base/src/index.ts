export { BoundedQueue } from './bounded-queue.ts';
export { canonicalJson, sha256Base64url } from './canonical-json.ts';
export { type Clock, delay, systemClock, type Timer } from './clock.ts';
export { hasControlCharacter, singleLine } from './control-characters.ts';
export { type Deadline, deadlineAfter } from './deadline.ts';
export { encodeJson } from './encode-json.ts';
export { defineErrors, type ErrorEntry, type ErrorTable, FairleadError } from './errors.ts';
export { escapeHidden, replaceHidden } from './hidden-characters.ts';
export { type Random, randomId, randomSecret, systemRandom } from './ids.ts';
export { deepFreeze, isJsonObject, type Json, type JsonObject, type JsonScalar, jsonEqual } from './json.ts';
export {
  checkJsonBounds,
  type JsonBounds,
  type JsonBoundsFault,
  type JsonValueFault,
} from './json-bounds.ts';
export { type JsonFault, type JsonParse, parseJson, scanJson } from './json-scanner.ts';
export { madeOnce } from './made-once.ts';
export { nearestKey } from './nearest-key.ts';
export { type Certainty, completed, type Fault, failed, hasValue, type Outcome } from './outcome.ts';
export { readTextFile, type TextFile } from './read-text-file.ts';
export { locateTomlKeys, type TomlLines, type TomlPath } from './toml-lines.ts';
