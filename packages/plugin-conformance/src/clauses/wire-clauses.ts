import { clausesOf } from './clause.ts';

// The clauses about lines, requests and responses, whatever is asked.

export const framingClauses = clausesOf('1 Framing', [
  ['wire.framing.json', 'must', 'writes lines that are JSON (RFC 8259)'],
  ['wire.framing.utf8', 'must', 'writes UTF-8'],
  ['wire.framing.no-bom', 'must', 'writes no byte order mark'],
  ['wire.framing.line-feed', 'must', 'ends each message with LF and leaves no part of a line behind'],
  ['wire.framing.no-empty-line', 'must', 'writes no empty line'],
  ['wire.framing.max-bytes', 'must', 'writes no line of more than 1,048,576 bytes'],
  ['wire.framing.unique-members', 'must', 'writes no member twice in one object'],
  ['wire.framing.surrogates', 'must', 'writes no lone surrogate'],
  ['wire.framing.finite-numbers', 'must', 'writes no number that is not finite'],
  ['wire.framing.safe-integers', 'must', 'writes no integer beyond ±9,007,199,254,740,991'],
  ['wire.framing.silent-start', 'must', 'writes nothing to stdout before its first answer'],
  ['wire.framing.stdout', 'must', 'writes nothing but answers to stdout'],
  ['wire.framing.pieces', 'must', 'reads a request up to its LF, in however many pieces its bytes come'],
]);

export const responseClauses = clausesOf('2 Requests and responses', [
  ['wire.request.reads-on', 'must', 'goes on reading its stdin'],
  ['wire.request.none', 'must', 'sends no request and no notification of its own'],
  ['wire.response.envelope', 'must', 'answers with an object whose jsonrpc is "2.0"'],
  ['wire.response.id', 'must', 'answers with the id of the request'],
  ['wire.response.one-of', 'must', 'answers with exactly one of result and error'],
  ['wire.response.error', 'must', 'gives an error an integer code and a message of 1 to 512 bytes'],
  ['wire.response.once', 'must', 'answers each request once'],
  ['wire.response.extra-members', 'may', 'may add members to a response and to its error'],
]);

export const idleClauses = clausesOf('9 Outcomes and codes on the call path', [
  ['wire.life.goes-on', 'must', 'keeps running, with its stdout open, while nothing is asked'],
]);

export const stderrClauses = clausesOf('12 stderr', [
  ['wire.stderr.free', 'may', 'may write to stderr what it likes'],
]);

export const mannersClauses = clausesOf('What a good plugin does besides', [
  ['wire.manners.joined', 'should', 'answers two requests that come in one piece'],
  ['wire.manners.notification', 'should', 'goes on after a line without an id, and gives it no result'],
  ['wire.manners.unknown-method', 'should', 'answers an unknown method with the error -32601'],
  ['wire.manners.malformed-line', 'should', 'goes on after a line that is no JSON'],
  ['wire.manners.largest-line', 'should', 'goes on after a line of 1 MiB'],
  ['wire.manners.other-version', 'should', 'claims no protocol version that it does not speak'],
  ['wire.manners.unknown-tool', 'should', 'answers a call of a tool that it does not have with a failure'],
  [
    'wire.manners.bad-arguments',
    'should',
    'answers a call whose arguments break the schema, in whatever way',
  ],
  ['wire.manners.path-only', 'should', 'starts with nothing but PATH in its environment'],
  ['wire.manners.same-tools', 'should', 'lists the same tools each time that it is started'],
  ['wire.manners.stdin-end', 'should', 'ends soon after its stdin has ended'],
  ['wire.manners.no-child-left', 'should', 'leaves no process behind when it ends'],
  ['wire.manners.sigterm', 'should', 'ends on SIGTERM'],
]);
