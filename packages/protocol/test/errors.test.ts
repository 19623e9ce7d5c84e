// native-plugin-protocol §8, §9, §10, §15
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCode, protocolErrors } from '../src/index.ts';

describe('the codes of the protocol', () => {
  it('are exactly these', () => {
    assert.deepEqual(Object.keys(protocolErrors).sort(), [
      'annotations_invalid',
      'duplicate_tool_name',
      'input_schema_invalid',
      'invalid_plugin_request',
      'invalid_plugin_response',
      'invalid_plugin_result',
      'invalid_tool_description',
      'invalid_tool_name',
      'invalid_tool_title',
      'link_frame_invalid',
      'link_frame_malformed',
      'link_frame_too_large',
      'output_schema_invalid',
      'plugin_arguments_schema_invalid',
      'plugin_call_entombed',
      'plugin_call_repeated',
      'plugin_check_busy',
      'plugin_check_state_failed',
      'plugin_config_invalid',
      'plugin_config_parse_failed',
      'plugin_config_read_failed',
      'plugin_duplicate_response_id',
      'plugin_environment_prepare_failed',
      'plugin_eof',
      'plugin_executable_unavailable',
      'plugin_executable_unsupported',
      'plugin_initialize_invalid',
      'plugin_malformed_json',
      'plugin_manager_stopping',
      'plugin_message_too_large',
      'plugin_not_configured',
      'plugin_output_schema_violation',
      'plugin_protocol_error',
      'plugin_protocol_version_mismatch',
      'plugin_provider_busy',
      'plugin_provider_state_failed',
      'plugin_provider_unavailable',
      'plugin_reader_unavailable',
      'plugin_reload_busy',
      'plugin_reload_failed',
      'plugin_reload_state_failed',
      'plugin_request_invalid',
      'plugin_request_too_large',
      'plugin_response_id_invalid',
      'plugin_result_invalid',
      'plugin_rpc_error',
      'plugin_schema_changed',
      'plugin_spawn_failed',
      'plugin_stdin_failed',
      'plugin_stdio_unavailable',
      'plugin_stdout_failed',
      'plugin_timeout',
      'plugin_tool_unavailable',
      'plugin_tools_list_invalid',
      'plugin_unexpected_message',
      'plugin_unknown_response_id',
      'plugin_writer_unavailable',
      'schema_bounds_exceeded',
      'schema_keyword_unsupported',
      'stale_plugin_provider',
      'tool_count_exceeded',
      'tool_definition_invalid',
      'tools_list_result_malformed',
    ]);
  });

  it('fit the link, and each says what happened and what to do', () => {
    for (const [code, { message, next }] of Object.entries(protocolErrors)) {
      assert.equal(isCode(code), true, code);
      assert.match(message, /^[A-Z].*\.$/, code);
      assert.match(next, /^[A-Z].*\.$/, code);
      assert.ok(Buffer.byteLength(message) <= 512, code);
    }
  });
});
