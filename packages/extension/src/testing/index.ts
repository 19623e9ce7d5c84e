export type { ToolAnswer } from '../dispatch/outcome.ts';
export type { FakeAgentState } from './fake-agents.ts';
export { type Harness, type HarnessOptions, type HarnessTool, harness } from './harness.ts';
