import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';

/** Every report that is known to the project, by the section that it stands in. The page adds to this list, never takes away. */
const REPORTED: Readonly<Record<string, readonly string[]>> = {
  'Calls that ran twice, or nobody knows whether they ran': [
    'smg-project/smg#2441',
    'NousResearch/hermes-agent#88821',
    'mcheemaa/mistri#26',
    'tya5/reyn#2600',
    'Significant-Gravitas/AutoGPT#14302',
    'SzamosiMate/tapir-archicad-MCP#23',
    'CALLE-AI/awesome-phone-call-agents#229',
    'Claude Code 2.1.239 (changelog)',
  ],
  'Processes that were left, or multiplied': [
    'modelcontextprotocol/typescript-sdk#2023',
    'modelcontextprotocol/typescript-sdk#2596',
    'modelcontextprotocol/typescript-sdk#579',
    'codefuturist/email-mcp#60',
    'ProxymanApp/Proxyman#2727',
    'NousResearch/hermes-agent#50169',
    'DeusData/codebase-memory-mcp#406',
    'ooples/token-optimizer-mcp#177',
    'MoonshotAI/kimi-code#1038',
    'metatool-ai/metamcp#162',
    'docker/mcp-gateway#483',
    'hashicorp/go-plugin#10',
  ],
  'Output, environments, programs that are not found, starts that hang': [
    'hashicorp/go-plugin#164',
    'hashicorp/go-plugin#199',
    'microsoft/azure-devops-mcp#147',
    'mixelpixx/SSH-MCP#6',
    'AgentDeskAI/browser-tools-mcp#239',
    'Claude Code (changelog)',
    'modelcontextprotocol/servers#64',
    'vastsa/PI-Desktop#571',
    'anthropics/claude-code#68221',
    'github/copilot-cli#3576',
    'vercel/ai#19157',
    'milind-soni/OpenMausBot#1343',
    'aaif-goose/goose#5048',
    'UsefulSoftwareCo/executor#1595',
    'VeriTeknik/pluggedin-app#209',
    'anomalyco/opencode#32450',
    'anomalyco/opencode#48743',
    'gajae-code#5702',
    'stacklok/mecatl#1695',
    'mcpproxy-go#760',
  ],
  'Hosts that crashed, memory that grew': [
    'earendil-works/pi#4791',
    'microsoft/vscode#411',
    'microsoft/vscode#194588',
    'microsoft/vscode#113443',
    'openclaw/openclaw#149646',
    'openclaw/openclaw#150274',
    'IBM/mcp-context-forge#1549',
    'IBM/mcp-context-forge#4205',
    'obot-platform/obot#7929',
    'n8n-io/n8n#23388',
    'gavinmcfall/home-ops#2325',
  ],
  'Catalogues that were not the truth': [
    'openai/tunnel-client#42',
    'anthropics/claude-ai-mcp#137',
    'anthropics/claude-ai-mcp#45',
    'anthropics/claude-ai-mcp#811',
    'obot-platform/obot#7918',
    'node9-ai/node9-proxy#81',
    'supernovae-st/nika#657',
    'anthony-chaudhary/fak#3200',
    'SynapseKit/SynapseKit#964',
  ],
  'Schemas, sizes, what is on, hooks': [
    'kintone/mcp-server#547',
    'google-gemini/gemini-cli#13326',
    'coddingtonbear/obsidian-local-rest-api#328',
    'tadata-org/fastapi_mcp#218',
    'charmbracelet/crush#3480',
    'nicobailon/pi-mcp-adapter#160',
    'QwenLM/qwen-code#2439',
    'anomalyco/opencode#28662',
    'anthropics/claude-code#7328',
    'opensearch-mcp-server-py#169',
    'agentscope#2304',
    'oops-rs/mentra#30',
    'can1357/oh-my-pi#6681',
    'anthropics/claude-code#40506',
    'anthropics/claude-code#6305',
    'anthropics/claude-code#3179',
    'anomalyco/opencode#18310',
    'anomalyco/opencode#31575',
    'anomalyco/opencode#47200',
    'ephraimduncan/opencode-cursor#15',
  ],
  'Schedules and sign-ins': [
    'openclaw/openclaw#4018',
    'openclaw/openclaw#33092',
    'openclaw/openclaw#10596',
    'openclaw/openclaw#12744',
    'openclaw/openclaw#42640',
    'openclaw/openclaw#73644',
    'openclaw/openclaw#104412',
    'anthropics/claude-code#84440',
    'anthropics/claude-code#91641',
    'google-gemini/gemini-cli#29048',
    'anomalyco/opencode#34074',
    'can1357/oh-my-pi#5081',
    'aaif-goose/goose#12016',
  ],
};

const page = readFileSync(join(repositoryRoot, 'docs/reference/field-cases.md'), 'utf8');
const sections = page.split(/^## /m).slice(1);
const cases = sections.flatMap((text) => {
  const [section = '', ...rest] = text.split('\n');
  const entries = rest.join('\n').split(/^### /m).slice(1);
  return entries.map((entry) => ({ section, title: entry.split('\n')[0] ?? '', entry }));
});

function reportsOf(entry: string): string[] {
  return (/^Reported: (.+)$/m.exec(entry)?.[1] ?? '').split(', ').filter((text) => text !== '');
}

function testsOf(entry: string): { readonly path: string; readonly name: string }[] {
  return [...entry.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, path = '', name = '']) => ({ path, name }));
}

/** The names of a file's tests. One may be left out where a program is missing on the machine, and for no other reason. */
function runningTests(source: string): string[] {
  if (/^\s*describe\.skip\(/m.test(source)) return [];
  const declared =
    /^ *(?:await t\.)?(?:test|it)\(\s*(['"`])((?:\\.|(?!\1).)*)\1,\s*((?:\{.*?\},\s*)?)(?:async )?\(/gms;
  const skip = /\bconst skip = requires\(/.test(source) ? /\{ skip \}|skip: requires\(/ : /skip: requires\(/;
  return [...source.matchAll(declared)]
    .filter(([, , , options = '']) => !/\b(skip|todo)\b/.test(options) || skip.test(options))
    .map(([, , name = '']) => name);
}

describe('docs/reference/field-cases.md', () => {
  it('has every report in its section, once', () => {
    for (const [section, reports] of Object.entries(REPORTED)) {
      const found = cases.filter((one) => one.section === section).flatMap(({ entry }) => reportsOf(entry));
      assert.deepEqual(found.sort(), [...reports].sort(), section);
    }
    assert.deepEqual([...new Set(cases.map(({ section }) => section))], Object.keys(REPORTED));
  });

  it('names tests that run, by the words that they have', () => {
    for (const { title, entry } of cases)
      for (const { path, name } of testsOf(entry)) {
        const file = join(repositoryRoot, path);
        assert.ok(existsSync(file), `${title}: ${path}`);
        assert.ok(
          runningTests(readFileSync(file, 'utf8')).some((one) => one === name || one.startsWith(`${name} (`)),
          `${title}: ${path} runs no test “${name}”`,
        );
      }
  });

  it('takes no other words of a file for a test, and no test that is passed over', () => {
    assert.deepEqual(
      runningTests(`
test('one', async (t) => {
  assert.equal(f('words'), 'of its body');
});
// test('commented out', () => {});
test.skip('two', () => {});
test('three', { skip: true }, () => {});
test('four', { todo: 'later' }, () => {});
test('five', { skip: requires('python3') }, () => {});
  it(\`six of \${kind}\`, { skip }, () => {});
const skip = requires('setsid');
`),
      ['one', 'five', `six of \${kind}`],
    );
    assert.deepEqual(runningTests("describe.skip('a', () => {\n  it('b', () => {});\n});"), []);
  });

  it('has a test for every case', () => {
    for (const { title, entry } of cases) assert.ok(testsOf(entry).length > 0, title);
  });
});
