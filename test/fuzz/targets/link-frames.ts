import { isDeepStrictEqual } from 'node:util';
import {
  encodeLinkFrame,
  isCode,
  type LinkSender,
  outcomeOf,
  parseLinkFrame,
  responseOf,
} from '@fairlead/protocol';
import { hold, type Target } from '../engine/target.ts';

const FAULTS: ReadonlySet<string> = new Set([
  'link_frame_too_large',
  'link_frame_malformed',
  'link_frame_invalid',
  'invalid_plugin_request',
  'invalid_plugin_response',
]);

const call = {
  kind: 'tools_call',
  provider: 'p',
  provider_instance: 'i',
  tool: 't',
  observation: 'o',
  arguments: { a: [1] },
};
const row = { id: 'p', name: 'P', status: 'ready', error_code: null };
const result = (payload: object) => ({
  type: 'result',
  id: 1,
  response: { dispatch_state: 'completed', payload },
});
const tool = {
  definition: { name: 't', inputSchema: { type: 'object' } },
  observation: 'o',
  timeout_secs: 30,
};

export const target: Target = {
  name: 'link-frames',
  holds:
    'a frame is read or has a code; what was read is written and read as the same; an outcome survives both ways',
  covers: [
    'packages/protocol/src/link-frame.ts',
    'packages/protocol/src/runner-request.ts',
    'packages/protocol/src/runner-response.ts',
    'packages/protocol/src/runner-payload.ts',
    'packages/protocol/src/dispatch-state.ts',
    'packages/protocol/src/names.ts',
    'packages/protocol/src/config-report.ts',
    'packages/protocol/src/project-catalog.ts',
    'packages/protocol/src/call-outcome.ts',
    'packages/protocol/src/provider-row.ts',
    'packages/protocol/src/diagnostics.ts',
  ],
  form: 'json',
  maxBytes: 16_384,
  seeds: () =>
    [
      {
        type: 'register',
        runner_id: 'r',
        instance_id: 'i',
        connection_epoch: 1,
        name: 'N',
        capabilities: ['native_tool_plugins'],
        projects: [{ id: 'a', name: 'A', kind: 'k' }],
      },
      { type: 'inventory', projects: [] },
      { type: 'registered' },
      { type: 'ping', ts: 1.5 },
      { type: 'goodbye' },
      { type: 'ended', call: 'c' },
      { type: 'error', code: 'runner_id_taken', message: 'm' },
      { type: 'request', id: 1, call: 'c', deadline_ms: 30_000, request: call },
      { type: 'request', id: 2, deadline_ms: 0, request: { kind: 'providers_list' } },
      { type: 'request', id: 2, deadline_ms: 0, request: { kind: 'tools_list', provider: 'p' } },
      { type: 'request', id: 2, deadline_ms: 0, request: { kind: 'outcome', call: 'c' } },
      { type: 'request', id: 2, deadline_ms: 0, request: { kind: 'project_catalog', project: 'a' } },
      result({ kind: 'providers_list', providers: [row] }),
      result({
        kind: 'tools_list',
        provider: 'p',
        provider_instance: 'i',
        name: 'P',
        status: 'ready',
        error_code: null,
        tools: [tool],
      }),
      result({ kind: 'tools_call', result: { content: [{ type: 'text', text: 'x' }], isError: false } }),
      result({
        kind: 'check',
        provider: 'p',
        ready: true,
        phase: 'ready',
        tools: [{ name: 't', title: 'T' }],
      }),
      result({
        kind: 'check',
        provider: 'p',
        ready: false,
        phase: 'validation',
        code: 'plugin_tools_list_invalid',
        diagnostic: { code: 'schema_keyword_unsupported', tool: 't', field: 'inputSchema' },
        tools: [],
      }),
      result({ kind: 'reload', providers: [row], failures: [{ provider_id: 'p', code: 'plugin_eof' }] }),
      result({
        kind: 'outcome',
        call: 'c',
        state: 'completed',
        response: { dispatch_state: 'not_started', error: { code: 'plugin_busy', message: 'm' } },
      }),
      {
        type: 'result',
        id: 3,
        response: { dispatch_state: 'outcome_unknown', error: { code: 'plugin_eof', message: 'm' } },
      },
    ].map((frame) => JSON.stringify(frame)),
  open: async () => ({
    run: (input) => {
      judge(input, 'runner');
      judge(input, 'gateway');
    },
  }),
};

function judge(input: Uint8Array, sender: LinkSender): void {
  const parsed = parseLinkFrame(input, sender);
  if (!parsed.ok) {
    hold(FAULTS.has(parsed.code), 'a refusal has a known code');
    if ('id' in parsed)
      hold(Number.isSafeInteger(parsed.id) && parsed.id > 0, 'a bad content names its request');
    return;
  }
  const { frame } = parsed;
  const again = parseLinkFrame(Buffer.from(encodeLinkFrame(frame)), sender);
  hold(again.ok && isDeepStrictEqual(again.frame, frame), 'a frame is written and read as the same');
  if (frame.type !== 'result') return;
  const outcome = outcomeOf(frame.response);
  // A message becomes one line with something in it, once.
  const sent = responseOf(outcome);
  hold(isDeepStrictEqual(responseOf(outcomeOf(sent)), sent), 'an outcome survives both ways');
  hold(outcomeOf(sent).certainty === outcome.certainty, 'a certainty survives both ways');
  if ('error' in frame.response) hold(isCode(frame.response.error.code), 'a fault of a Runner has a code');
}
