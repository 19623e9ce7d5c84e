import { clausesOf } from './clause.ts';

// The clauses of the three methods.

export const initializeClauses = clausesOf('3 initialize', [
  ['wire.initialize.answers', 'must', 'answer initialize with a result, within its time'],
  ['wire.initialize.result', 'must', 'give initialize an object within the bounds of a part'],
  ['wire.initialize.version', 'must', 'answer with protocolVersion webcodex-plugin-v1'],
  ['wire.initialize.extra-members', 'may', 'add members to the result of initialize'],
]);

export const listClauses = clausesOf('4 tools/list', [
  ['wire.list.answers', 'must', 'answer tools/list with a result, within its time'],
  ['wire.list.form', 'must', 'list its tools as an object with the one member tools, an array'],
  ['wire.list.count', 'must', 'list at most 128 tools'],
  ['wire.list.definition', 'must', 'give a tool no member that the wire does not have'],
  ['wire.list.name', 'must', 'name each tool with 1 to 128 of A-Z a-z 0-9 _ . -'],
  ['wire.list.unique-names', 'must', 'give no two tools one name'],
  ['wire.list.title', 'must', 'keep a title within 1 to 128 bytes without control characters'],
  ['wire.list.description', 'must', 'keep a description within 4,096 bytes without control characters'],
  ['wire.list.annotations', 'must', 'make annotations an object, whose names hold no control character'],
]);

export const boundsClauses = clausesOf('6 Limits', [
  ['wire.list.part-bounds', 'must', 'keep schemas and annotations within the bounds of a part'],
  ['wire.call.result-bounds', 'must', 'keep a result within 512 KiB and the bounds of a part'],
  [
    'wire.call.largest-arguments',
    'must',
    'answer the largest arguments that its schema allows, up to 64 KiB',
  ],
]);

export const schemaClauses = clausesOf('7 Schema profile v1', [
  ['wire.list.input-schema', 'must', 'give each tool an inputSchema that profile v1 admits'],
  ['wire.list.output-schema', 'must', 'give a tool no outputSchema that profile v1 does not admit'],
  ['wire.list.schema-keywords', 'must', 'use no keyword that profile v1 does not have'],
]);

export const callClauses = clausesOf('5 tools/call', [
  ['wire.call.answers', 'must', 'answer a call whose arguments satisfy the schema, within its time'],
  ['wire.call.utf8-arguments', 'must', 'read arguments beyond ASCII, also cut within a character'],
  ['wire.call.result-form', 'must', 'give a result as an object of content, structuredContent and isError'],
  ['wire.call.content', 'must', 'give content as an array of at most 32 texts'],
  ['wire.call.text', 'must', 'write no control character into a text but TAB, LF and CR'],
  ['wire.call.structured-content', 'must', 'give structuredContent as an object'],
  ['wire.call.is-error', 'must', 'give isError as a boolean'],
  ['wire.call.output-schema', 'must', 'give structuredContent that satisfies its outputSchema, always'],
]);
