import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Edit } from '../faults/mutant-list.ts';
import { CorpusFolder } from './corpus-folder.ts';
import { fuzzTarget } from './engine/fuzz-target.ts';
import { loadTarget } from './targets/index.ts';

/** A reader that takes too little, or takes it as something else, and the promise that is to notice. */
type Plant = Edit & { readonly name: string; readonly target: string; readonly breaks: string };

const plants: readonly Plant[] = [
  {
    name: 'a plugin’s answers are all refused',
    target: 'frame-decoder',
    file: 'packages/protocol/src/response.ts',
    from: 'const message = parsed.value;',
    to: "const message = parsed.value; if (message !== undefined) return fault('plugin_protocol_error');",
    breaks: 'a line is what the page of the protocol says it is',
  },
  {
    name: 'a plugin’s result is left out',
    target: 'frame-decoder',
    file: 'packages/protocol/src/response.ts',
    from: "result: message['result'] as Json",
    to: 'result: {}',
    breaks: 'a line is what the page of the protocol says it is',
  },
  {
    name: 'parameters of an MCP message are emptied',
    target: 'mcp-stdio',
    file: 'packages/cli/src/mcp/stdio-transport.ts',
    from: 'return isCall || isAnswer ? (value as unknown as JSONRPCMessage) : null;',
    to: 'return isCall || isAnswer ? ({ ...value, ...(params && { params: {} }) } as unknown as JSONRPCMessage) : null;',
    breaks: 'a message arrives as it was sent',
  },
  {
    name: 'MCP messages are all refused',
    target: 'mcp-stdio',
    file: 'packages/cli/src/mcp/stdio-transport.ts',
    from: "if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') return null;",
    to: "if (!isJsonObject(value) || value['jsonrpc'] !== '3.0') return null;",
    breaks: 'a message of the protocol is not refused',
  },
  {
    name: 'an MCP line that is too long is kept until it ends',
    target: 'mcp-stdio',
    file: 'packages/cli/src/mcp/stdio-transport.ts',
    from: 'if (this.#pendingBytes > this.#bounds.maxBytes) {',
    to: 'if (this.#pendingBytes < 0) {',
    breaks: 'each line is one message or one refusal',
  },
  {
    name: 'every configuration of a Runner is refused',
    target: 'runner-toml',
    file: 'packages/runner/src/config/runner-config.ts',
    from: 'if (findings.faults.length > 0)',
    to: "if (findings.faults.push({ key: 'the file', message: 'is not wanted' }) > 0)",
    breaks: 'a text is refused exactly where its page says so',
  },
  {
    name: 'arguments of a plugin’s command are lost',
    target: 'runner-toml',
    file: 'packages/runner/src/config/plugins-table.ts',
    from: '    args,\n    ...(cwd',
    to: '    args: [],\n    ...(cwd',
    breaks: 'a text is the configuration of its page',
  },
  {
    name: 'every schema of a plugin is refused',
    target: 'schema-profile',
    file: 'packages/protocol/src/schema-profile.ts',
    from: "if (node.type !== 'object')",
    to: "if (node.type !== 'null')",
    breaks: 'a schema is compiled where its page admits it',
  },
  {
    name: 'every object counts as one with a name twice',
    target: 'json-scanner',
    file: 'packages/base/src/json-scanner.ts',
    from: "if (this.#bytes[this.#at] !== QUOTE) return 'syntax';",
    to: "if (this.#bytes[this.#at] !== QUOTE) return 'syntax'; if (this.#at > 0) return 'duplicate_key';",
    breaks: 'a text is accepted exactly where nothing is wrong with it',
  },
];

describe('a reader that only refuses, or reads something else, is caught before the first new input', {
  concurrency: 2,
}, () => {
  for (const { name, target: reader, file, from, to, breaks } of plants)
    test(`${reader}: ${name}`, async () => {
      const { target } = await loadTarget(reader);
      const module = new URL('./toys/planted.target.ts', import.meta.url);
      module.search = String(new URLSearchParams({ target: reader, file, from, to }));
      const folder = new CorpusFolder(join(import.meta.dirname, 'corpus'), reader);
      const corpus = [...target.seeds().map((seed) => Buffer.from(seed)), ...folder.read()];
      const { failures, ended } = await fuzzTarget({
        target,
        module: module.href,
        corpus,
        seed: 1,
        budgetMs: 0,
        isAlone: true,
      });
      assert.equal(ended, 'well');
      assert.ok(
        failures.some((failure) => failure.name === breaks),
        failures.map((failure) => failure.message).join('\n') || 'nothing was noticed',
      );
    });
});
