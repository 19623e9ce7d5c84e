/** What is measured side by side by the bench `peers`. Each stands in reports under this name. */
export const peerNames = {
  extism: 'Extism',
  pipe: 'bare pipe',
  runner: 'Fairlead Runner',
  mcpV1: 'MCP SDK v1, stdio',
  mcpV2: 'MCP SDK v2, stdio',
  gateway: 'supergateway',
  http: 'Fairlead, HTTP',
  mcpHttp: 'Fairlead, /mcp',
  mcpStdio: 'Fairlead, fairlead mcp',
} as const;

/** How many calls are in flight: one client that waits, and several. */
export const peerLanes = { one: 1, several: 8 } as const;

/** What a figure of it is called. */
export const peerFigures = {
  latency: (name: string, inFlight: number) => (inFlight === 1 ? name : `${name}, ${inFlight} at once`),
  rate: (name: string, inFlight: number) => `${peerFigures.latency(name, inFlight)}, per second`,
} as const;
