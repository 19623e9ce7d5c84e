// native-plugin-protocol §15
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  encodeLinkFrame,
  encodeResultFrame,
  type LinkFrame,
  type LinkSender,
  parseLinkFrame,
} from '../src/index.ts';

function parse(text: string, sender: LinkSender) {
  return parseLinkFrame(Buffer.from(text), sender);
}

const REGISTER =
  '{"type":"register","runner_id":"local","instance_id":"run_1","connection_epoch":1,"name":"My laptop","capabilities":["native_tool_plugins"],"projects":[{"id":"p","name":"Project","kind":"git"}]}';
const CALL =
  '{"type":"request","id":7,"call":"call_x","deadline_ms":35000,"request":{"kind":"tools_call","provider":"echo","provider_instance":"pin_1","tool":"echo","observation":"obs-1","arguments":{"text":"hi"}}}';
const RESULT =
  '{"type":"result","id":7,"response":{"dispatch_state":"completed","payload":{"kind":"tools_call","result":{"content":[]}}}}';

describe('frames that a Runner writes', () => {
  const good = [
    REGISTER,
    '{"type":"register","runner_id":"local","instance_id":"r","connection_epoch":9007199254740991,"capabilities":[],"projects":[]}',
    RESULT,
    '{"type":"inventory","projects":[]}',
    '{"type":"inventory","name":"My laptop","projects":[{"id":"p","name":"Project","kind":"git"}]}',
    '{"type":"ping","ts":12.5}',
    '{"type":"pong","ts":0}',
    '{"type":"goodbye"}',
    '{"type":"error","code":"link_frame_invalid","message":"No."}',
    '{"type":"ended","call":"call_AAAAAAAAAAAAAAAAAAAAAA"}',
  ];
  for (const text of good) {
    it(`reads and writes ${text.slice(0, 100)}`, () => {
      const parsed = parse(text, 'runner');
      assert.deepEqual(parsed, { ok: true, frame: JSON.parse(text) });
      assert.equal(parsed.ok && encodeLinkFrame(parsed.frame), text);
    });
  }
});

describe('frames that a gateway writes', () => {
  const good = [
    '{"type":"registered"}',
    CALL,
    '{"type":"request","id":1,"deadline_ms":0,"request":{"kind":"providers_list"}}',
    '{"type":"request","id":1,"deadline_ms":600000,"request":{"kind":"reload"}}',
    '{"type":"ping","ts":-1}',
    '{"type":"pong","ts":0}',
    '{"type":"goodbye"}',
    '{"type":"error","code":"runner_id_taken","message":"Taken."}',
  ];
  for (const text of good) {
    it(`reads and writes ${text.slice(0, 100)}`, () => {
      const parsed = parse(text, 'gateway');
      assert.deepEqual(parsed, { ok: true, frame: JSON.parse(text) });
      assert.equal(parsed.ok && encodeLinkFrame(parsed.frame), text);
    });
  }
});

describe('link_frame_invalid', () => {
  const invalid: readonly (readonly [LinkSender, string])[] = [
    ['runner', 'null'],
    ['runner', '[]'],
    ['runner', '"ping"'],
    ['runner', '{}'],
    ['runner', '{"type":"hello"}'],
    ['runner', '{"type":["ping"],"ts":1}'],
    // Each side may write its own frames only.
    ['runner', CALL],
    ['runner', '{"type":"registered"}'],
    ['gateway', RESULT],
    ['gateway', REGISTER],
    ['gateway', '{"type":"inventory","projects":[]}'],
    ['runner', '{"type":"inventory"}'],
    ['runner', '{"type":"inventory","projects":[{"id":"p","name":"P","kind":"git","path":"/srv"}]}'],
    ['runner', '{"type":"inventory","projects":[],"capabilities":[]}'],
    ['gateway', '{"type":"ended","call":"call_x"}'],
    // Members.
    ['runner', '{"type":"goodbye","why":"x"}'],
    ['runner', '{"type":"goodbye","__proto__":{}}'],
    ['runner', '{"type":"ping"}'],
    ['runner', '{"type":"ended"}'],
    ['runner', '{"type":"ended","call":"a b"}'],
    ['runner', '{"type":"ended","call":"call_x","id":1}'],
    ['runner', '{"type":"ping","ts":"1"}'],
    ['runner', '{"type":"error","code":"Bad Code","message":"x"}'],
    ['runner', '{"type":"error","code":"a","message":""}'],
    ['runner', '{"type":"error","code":"a","message":"\\u001b[0m"}'],
    ['runner', `{"type":"error","code":"a","message":"${'x'.repeat(513)}"}`],
    ['gateway', '{"type":"registered","runner":"x"}'],
    ['runner', REGISTER.replace('"runner_id":"local",', '')],
    ['runner', REGISTER.replace('"local"', '""')],
    ['runner', REGISTER.replace('"local"', '"  "')],
    ['runner', REGISTER.replace('"local"', '"a\\nb"')],
    ['runner', REGISTER.replace('"local"', `"${'x'.repeat(129)}"`)],
    ['runner', REGISTER.replace('"run_1"', '"run 1"')],
    ['runner', REGISTER.replace('"connection_epoch":1', '"connection_epoch":0')],
    ['runner', REGISTER.replace('"connection_epoch":1', '"connection_epoch":1.5')],
    ['runner', REGISTER.replace('"My laptop"', 'null')],
    ['runner', REGISTER.replace('"native_tool_plugins"', '"Native"')],
    ['runner', REGISTER.replace('"kind":"git"', '"kind":"git","path":"/home/me"')],
    ['runner', REGISTER.replace('"kind":"git"', '"kind":7')],
    ['runner', REGISTER.replace('["native_tool_plugins"]', JSON.stringify(Array(33).fill('a')))],
    [
      'runner',
      REGISTER.replace(
        /"projects":.*/,
        `"projects":${JSON.stringify(Array(65).fill({ id: 'p', name: 'p', kind: 'g' }))}}`,
      ),
    ],
    // The envelope of a request and of a result.
    ['gateway', CALL.replace('"id":7', '"id":0')],
    ['gateway', CALL.replace('"id":7', '"id":"7"')],
    ['gateway', CALL.replace('"id":7,', '')],
    ['gateway', CALL.replace('"id":7', '"id":7,"extra":1')],
    ['gateway', CALL.replace('"call_x"', '"call x"')],
    ['gateway', CALL.replace('"call_x"', 'null')],
    ['gateway', CALL.replace('"deadline_ms":35000', '"deadline_ms":-1')],
    ['gateway', CALL.replace('"deadline_ms":35000', '"deadline_ms":600001')],
    ['gateway', CALL.replace('"deadline_ms":35000', '"deadline_ms":"35000"')],
    ['gateway', CALL.replace('"deadline_ms":35000,', '')],
    ['runner', RESULT.replace('"id":7', '"id":1.5')],
    ['runner', RESULT.replace('"id":7', '"id":7,"call":"x"')],
  ];
  for (const [sender, text] of invalid) {
    it(`from a ${sender}: ${text.slice(0, 120)}`, () => {
      assert.deepEqual(parse(text, sender), { ok: false, code: 'link_frame_invalid' });
    });
  }
});

describe('link_frame_malformed and link_frame_too_large', () => {
  it('malformed is what the scanner refuses', () => {
    for (const text of [
      '',
      '{"type":"goodbye"',
      '{"type":"goodbye","type":"goodbye"}',
      `${'['.repeat(200)}${']'.repeat(200)}`,
    ]) {
      assert.deepEqual(parse(text, 'runner'), { ok: false, code: 'link_frame_malformed' });
    }
  });

  it('too large is more than 8 MiB', () => {
    const frame = (bytes: number) =>
      Buffer.concat([Buffer.from('{"type":"goodbye"}'), Buffer.alloc(bytes - 18, ' ')]);
    assert.deepEqual(parseLinkFrame(frame(8_388_608), 'runner'), { ok: true, frame: { type: 'goodbye' } });
    assert.deepEqual(parseLinkFrame(frame(8_388_609), 'runner'), { ok: false, code: 'link_frame_too_large' });
  });
});

describe('a good frame whose content is not', () => {
  it('answers which request it was', () => {
    assert.deepEqual(
      parse('{"type":"request","id":7,"deadline_ms":1,"request":{"kind":"outcome"}}', 'gateway'),
      {
        ok: false,
        code: 'invalid_plugin_request',
        id: 7,
      },
    );
    assert.deepEqual(parse('{"type":"request","id":7,"deadline_ms":1,"other":{}}', 'gateway'), {
      ok: false,
      code: 'invalid_plugin_request',
      id: 7,
    });
    assert.deepEqual(parse('{"type":"result","id":8,"response":{}}', 'runner'), {
      ok: false,
      code: 'invalid_plugin_response',
      id: 8,
    });
  });

  it('does not bound arguments more tightly than the code for arguments does', () => {
    const deep = `${'['.repeat(60)}${']'.repeat(60)}`;
    const parsed = parse(CALL.replace('"hi"', deep), 'gateway');
    assert.equal(parsed.ok, true);
  });
});

describe('a catalog of the greatest size that admission allows in practice', () => {
  it('travels in one frame', () => {
    const tool = {
      definition: {
        name: 't',
        description: 'x'.repeat(4000),
        inputSchema: { type: 'object', description: 'y'.repeat(50_000) },
      },
      observation: 'o',
      timeout_secs: 30,
    };
    const frame: LinkFrame = {
      type: 'result',
      id: 1,
      response: {
        dispatch_state: 'completed',
        payload: {
          kind: 'tools_list',
          provider: 'p',
          provider_instance: 'i',
          name: 'P',
          status: 'ready',
          error_code: null,
          tools: Array(128).fill(tool),
        },
      },
    };
    assert.deepEqual(parseLinkFrame(Buffer.from(encodeLinkFrame(frame)), 'runner'), { ok: true, frame });
  });
});

describe('a result frame around an encoded response', () => {
  it('is the frame that its parts make', () => {
    const response =
      '{"dispatch_state":"not_started","error":{"code":"plugin_provider_busy","message":"No."}}';
    const text = encodeResultFrame(7, response);
    assert.equal(text, encodeLinkFrame({ type: 'result', id: 7, response: JSON.parse(response) }));
    assert.deepEqual(parse(text, 'runner'), { ok: true, frame: JSON.parse(text) });
  });
});
