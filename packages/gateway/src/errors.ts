import { defineErrors } from '@fairlead/base';

/** The gateway's codes: HTTP, tokens, the Runner link, `fairlead.toml`. */
export const gatewayErrors = defineErrors({
  query_invalid: {
    message: 'The address carries a parameter that this route does not take, or a value that it cannot have.',
    next: 'Mend what detail names; docs/reference/http-api.md lists the parameters.',
  },
  journal_entry_not_found: {
    message: 'The journal has no invocation of that id.',
    next: 'Begin again without `before`: old entries are removed, 30 days after their end at the latest.',
  },
  sessions_unavailable: {
    message: 'This gateway has no host of sessions behind it.',
    next: 'Use the gateway of a running host: `fairlead up` or `fairlead serve`.',
  },
  entry_not_found: {
    message: 'The session has no entry of that id.',
    next: 'Begin again without `before`, or with the one that an earlier page gave.',
  },
  approval_settled: {
    message: 'The approval is not open any more: the first answer stands.',
    next: 'See detail for what became of it.',
  },
  stream_limit_reached: {
    message: 'As many streams and exports are open as this gateway gives.',
    next: 'Close streams that nobody reads, or raise limits.connections in fairlead.toml: half of them may be streams.',
  },
  unauthorized: {
    message: 'The request carries no token that opens this route.',
    next: 'Send `Authorization: Bearer fairlead_pat_…` with a token that `fairlead token list` shows as live; the Runner link takes a Runner token instead.',
  },
  host_not_allowed: {
    message: 'The Host header names a host that is not this gateway.',
    next: 'Use the address that the gateway printed, or set gateway.public_url in fairlead.toml to the address that clients use.',
  },
  origin_not_allowed: {
    message: 'A page of another origin may not call this gateway.',
    next: 'Call it from its own origin or from outside a browser; behind a proxy, set gateway.public_url to the address that the page comes from.',
  },
  local_only: {
    message: 'This route serves commands on the gateway’s own machine alone.',
    next: 'Run the command on the machine of the gateway, with its own address instead of the public one.',
  },
  route_not_found: {
    message: 'There is nothing at this path.',
    next: 'See docs/reference/http-api.md for the routes.',
  },
  method_not_allowed: {
    message: 'This path does not take this method.',
    next: 'Use one of the methods in the Allow header.',
  },
  unsupported_media_type: {
    message: 'The body is not declared as JSON.',
    next: 'Send `Content-Type: application/json`, in UTF-8 and without Content-Encoding.',
  },
  body_too_large: {
    message: 'The body is larger than this gateway takes.',
    next: 'Send less, or raise limits.body_bytes in fairlead.toml; a pairing code has 1 KiB and no more.',
  },
  invalid_body: {
    message: 'The body is not what this route takes.',
    next: 'Send one JSON object in UTF-8 without repeated keys, with the members of docs/reference/http-api.md; `detail` says what is wrong.',
  },
  malformed_request: {
    message: 'The request is not well-formed HTTP.',
    next: 'Check the client or the proxy in between.',
  },
  headers_too_large: {
    message: 'The headers are larger than 16 KiB.',
    next: 'Send fewer or shorter headers.',
  },
  request_incomplete: {
    message: 'The request did not arrive whole in time; nothing ran.',
    next: 'Send it again over a connection that is fast enough.',
  },
  request_timeout: {
    message: 'The request passed the time limit of this gateway.',
    next: 'Look at the state with list before you decide to do it again; limits.request_secs sets the limit.',
  },
  upgrade_required: {
    message: 'This path is the Runner link and speaks WebSocket.',
    next: 'Point a Runner here: set server_url in runner.toml.',
  },
  gateway_stopping: {
    message: 'The gateway is stopping.',
    next: 'Start it again with `fairlead up`; where the certainty is outcome_unknown, look at the state with list before you decide to do it again.',
  },
  internal_error: {
    message: 'The gateway failed while it handled the request.',
    next: 'Look at the state with list before you decide to do it again, and report the line of the gateway’s log.',
  },
  token_not_found: {
    message: 'There is no token with this id.',
    next: 'Copy the id from `fairlead token list`.',
  },
  token_limit_reached: {
    message: 'There are 1,000 live tokens, which is the most.',
    next: 'Revoke tokens that nobody uses: `fairlead token list`, `fairlead token revoke ID`.',
  },
  token_request_invalid: {
    message: 'The token that was asked for cannot be made.',
    next: 'See `fairlead token create --help`; `detail` names the member.',
  },
  pairing_code_invalid: {
    message: 'The code is not one of this gateway, was used already, or is older than 10 minutes.',
    next: 'Make a new one on the gateway’s machine: `fairlead runner pair`.',
  },
  pairing_limited: {
    message: 'Too many wrong codes have come; none is looked at for now.',
    next: 'Wait a minute, then try again with a code that is still live.',
  },
  pairing_limit_reached: {
    message: 'There are 64 live codes, which is the most.',
    next: 'Use them or wait until they end; each lives 10 minutes.',
  },
  expected_register: {
    message: 'The first frame on the Runner link must be register, within 15 s.',
    next: 'Use a Runner of this version.',
  },
  register_forbidden: {
    message: 'The token is bound to another runner id.',
    next: 'Set client_id in runner.toml to the id of the token, or make a token for this id: `fairlead token create --runner ID`.',
  },
  runner_id_taken: {
    message: 'Another live Runner has this id.',
    next: 'Stop the other one or give this one an id of its own; a Runner that vanished without a word frees its id within 60 s.',
  },
  runner_limit_reached: {
    message: 'As many Runners are connected as this gateway takes.',
    next: 'Stop Runners that are not needed, then start this one again.',
  },
  runner_frame_unexpected: {
    message: 'The Runner sent a frame that has no place here.',
    next: 'Use a Runner of this version.',
  },
  runner_token_ended: {
    message: 'The token of this Runner was revoked or has expired.',
    next: 'Make a new one with `fairlead token create --runner ID` and start the Runner with it.',
  },
  runner_replaced: {
    message: 'The same Runner has connected again.',
    next: 'Nothing: the newer connection serves.',
  },
  host_config_read_failed: {
    message: 'fairlead.toml cannot be read.',
    next: 'Check the path and who may read it.',
  },
  host_config_parse_failed: {
    message: 'fairlead.toml is not TOML.',
    next: 'Mend the line that the message names.',
  },
  host_config_invalid: {
    message: 'A value of fairlead.toml, a variable or a flag is not one that can be used.',
    next: 'Mend what the message names; docs/reference/configuration-host.md lists every key.',
  },
  remote_bind_refused: {
    message: 'Other machines could connect to this address, and this version has no TLS of its own.',
    next: 'Bind 127.0.0.1; or, with a TLS proxy in front or on a network that you trust, give --allow-remote or set gateway.allow_remote = true.',
  },
  port_in_use: {
    message: 'The port is taken by another program.',
    next: 'Give another one with --port (in a clone: `npm start -- --port 7421`), or 0 for any free one.',
  },
  bind_failed: {
    message: 'This machine does not let the gateway listen on that address.',
    next: 'Give an address of this machine with --bind, and a port above 1023 with --port.',
  },
});

/** A code of the gateway's table. */
export type GatewayErrorCode = keyof typeof gatewayErrors;
