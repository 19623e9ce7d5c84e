import { clausesOf } from './clause.ts';

// The clauses of the three methods.

export const initializeClauses = clausesOf('3 initialize', [
  ['wire.initialize.answers', 'must', 'answers initialize with a result, within its time'],
  ['wire.initialize.result', 'must', 'gives initialize an object within the bounds of a part'],
  ['wire.initialize.version', 'must', 'answers with protocolVersion webcodex-plugin-v1'],
  ['wire.initialize.extra-members', 'may', 'may add members to the result of initialize'],
]);

export const listClauses = clausesOf('4 tools/list', [
  ['wire.list.answers', 'must', 'answers tools/list with a result, within its time'],
  ['wire.list.form', 'must', 'lists its tools as an object with the one member tools, an array'],
  ['wire.list.count', 'must', 'lists at most 128 tools'],
  ['wire.list.definition', 'must', 'gives a tool no member that the wire does not have'],
  ['wire.list.name', 'must', 'names each tool with 1 to 128 of A-Z a-z 0-9 _ . -'],
  ['wire.list.unique-names', 'must', 'gives no two tools one name'],
  ['wire.list.title', 'must', 'keeps a title within 1 to 128 bytes without control characters'],
  ['wire.list.description', 'must', 'keeps a description within 4,096 bytes without control characters'],
  ['wire.list.annotations', 'must', 'makes annotations an object, whose names hold no control character'],
]);

export const boundsClauses = clausesOf('6 Limits', [
  ['wire.list.part-bounds', 'must', 'keeps schemas and annotations within the bounds of a part'],
  ['wire.call.result-bounds', 'must', 'keeps a result within 512 KiB and the bounds of a part'],
  [
    'wire.call.largest-arguments',
    'must',
    'answers the largest arguments that its schema allows, up to 64 KiB',
  ],
]);

export const schemaClauses = clausesOf('7 Schema profile v1', [
  ['wire.list.input-schema', 'must', 'gives each tool an inputSchema that profile v1 admits'],
  ['wire.list.output-schema', 'must', 'gives a tool no outputSchema that profile v1 does not admit'],
  ['wire.list.schema-keywords', 'must', 'uses no keyword that profile v1 does not have'],
]);

export const callClauses = clausesOf('5 tools/call', [
  ['wire.call.answers', 'must', 'answers a call whose arguments satisfy the schema, within its time'],
  ['wire.call.utf8-arguments', 'must', 'reads arguments beyond ASCII, also cut within a character'],
  ['wire.call.result-form', 'must', 'gives a result as an object of content, structuredContent and isError'],
  ['wire.call.content', 'must', 'gives content as an array of at most 32 texts'],
  ['wire.call.text', 'must', 'writes no control character into a text but TAB, LF and CR'],
  ['wire.call.structured-content', 'must', 'gives structuredContent as an object'],
  ['wire.call.is-error', 'must', 'gives isError as a boolean'],
  ['wire.call.output-schema', 'must', 'gives structuredContent that satisfies its outputSchema, always'],
]);
