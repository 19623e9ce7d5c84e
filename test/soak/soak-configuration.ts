import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@fairlead/testing';
import { agentScripts, SLOW_AGENT, scriptFile } from './soak-agents.ts';

const MCP_SERVER = join(repositoryRoot, 'packages/mcp/test/fixtures/scripted-server.mjs');

/** What the MCP server of a soak does, and beside it what it notes: `.starts` has the number of each of its processes. */
export function mcpServerFile(folder: string): string {
  return join(folder, 'mcp-server.json');
}

/** Writes what the host of a soak reads when it starts: its configuration, the script of its model, a skill, what its MCP server does. */
export function writeConfiguration(folder: string, stateDirectory: string): void {
  writeFileSync(join(stateDirectory, 'fairlead.toml'), configuration(mcpServerFile(folder)));
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(scriptFile()));
  const skill = join(stateDirectory, 'skills/tides');
  mkdirSync(skill, { recursive: true });
  writeFileSync(
    join(skill, 'SKILL.md'),
    '---\nname: tides\ndescription: Read a tide table.\n---\nLook it up.\n',
  );
  const echo = { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
  writeFileSync(mcpServerFile(folder), JSON.stringify({ tools: [echo] }));
}

function configuration(mcpServer: string): string {
  const agents = Object.keys(agentScripts)
    .filter((name) => name !== 'giver')
    .map((name) => `[[agents]]\nname = "${name}"\n`);
  return `
[[backends]]
name = "script"
type = "scripted"
file = "script.json"

${agents.join('\n')}
[[agents]]
name = "${SLOW_AGENT}"

[[agents]]
name = "giver"

[[agents.workers]]
name = "reader"
system_prompt = "Only read."
tools = ["read_file"]

[policy]
auto_approve = ["write_file", "spawn_worker", "pinned_add"]

# A soak uses up in minutes what a person does in days.
[limits]
session_tokens = 0
agent_day_tokens = 0
day_tokens = 0

[skills]
dirs = ["skills"]

[[plugins.pinned]]
runner = "near"
plugin = "raw-node"
tool = "add"
as = "pinned_add"
agents = ["hand"]

[[mcp.servers]]
name = "s"
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(MCP_SERVER)}, ${JSON.stringify(mcpServer)}]
`;
}
