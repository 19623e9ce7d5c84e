import { clausesOf } from './clause.ts';

// The clauses about lines, requests and responses, whatever is asked.

export const framingClauses = clausesOf('1 Framing', [
  ['wire.framing.json', 'must', 'write lines that are JSON (RFC 8259)'],
  ['wire.framing.utf8', 'must', 'write UTF-8'],
  ['wire.framing.no-bom', 'must', 'write no byte order mark'],
  ['wire.framing.line-feed', 'must', 'end each message with LF and leave no part of a line behind'],
  ['wire.framing.no-empty-line', 'must', 'write no empty line'],
  ['wire.framing.max-bytes', 'must', 'write no line of more than 1,048,576 bytes'],
  ['wire.framing.unique-members', 'must', 'write no member twice in one object'],
  ['wire.framing.surrogates', 'must', 'write no lone surrogate'],
  ['wire.framing.finite-numbers', 'must', 'write no number that is not finite'],
  ['wire.framing.safe-integers', 'must', 'write no integer beyond ±9,007,199,254,740,991'],
  ['wire.framing.silent-start', 'must', 'write nothing to stdout before its first answer'],
  ['wire.framing.stdout', 'must', 'write nothing but answers to stdout'],
  ['wire.framing.pieces', 'must', 'read a request up to its LF, in however many pieces its bytes come'],
]);

export const responseClauses = clausesOf('2 Requests and responses', [
  ['wire.request.reads-on', 'must', 'go on reading its stdin'],
  ['wire.request.none', 'must', 'send no request and no notification of its own'],
  ['wire.response.envelope', 'must', 'answer with an object whose jsonrpc is "2.0"'],
  ['wire.response.id', 'must', 'answer with the id of the request'],
  ['wire.response.one-of', 'must', 'answer with exactly one of result and error'],
  ['wire.response.error', 'must', 'give an error an integer code and a message of 1 to 512 bytes'],
  ['wire.response.once', 'must', 'answer each request once'],
  ['wire.response.extra-members', 'may', 'add members to a response and to its error'],
]);

export const idleClauses = clausesOf('9 Outcomes and codes on the call path', [
  ['wire.life.goes-on', 'must', 'keep running, with its stdout open, while nothing is asked'],
]);

export const reloadClauses = clausesOf('11 Reload', [
  ['wire.life.beside', 'must', 'start while an earlier process of it lives, and leave that one alone'],
]);

export const stderrClauses = clausesOf('12 stderr', [
  ['wire.stderr.free', 'may', 'write to stderr what it likes'],
]);

export const mannersClauses = clausesOf('What a good plugin does besides', [
  ['wire.manners.list-again', 'should', 'answer tools/list as often as it is asked'],
  ['wire.manners.joined', 'should', 'answer two requests that come in one piece'],
  ['wire.manners.notification', 'should', 'go on after a line without an id, and give it no result'],
  ['wire.manners.unknown-method', 'should', 'answer an unknown method with the error -32601'],
  ['wire.manners.malformed-line', 'should', 'go on after a line that is no JSON'],
  ['wire.manners.largest-line', 'should', 'go on after a line of 1 MiB'],
  ['wire.manners.other-version', 'should', 'claim no protocol version that it does not speak'],
  ['wire.manners.unknown-tool', 'should', 'answer a call of a tool that it does not have with a failure'],
  ['wire.manners.bad-arguments', 'should', 'answer a call whose arguments break the schema, in whatever way'],
  ['wire.manners.path-only', 'should', 'start with nothing but PATH in its environment'],
  ['wire.manners.same-tools', 'should', 'list the same tools each time that it is started'],
  ['wire.manners.stdin-end', 'should', 'end soon after its stdin has ended'],
  ['wire.manners.no-child-left', 'should', 'leave no process behind when it ends'],
  ['wire.manners.sigterm', 'should', 'end on SIGTERM'],
]);
