/** Variables that npm and Node set or read: they would make a measured program do other work than a user's does. */
const foreign = /^(npm_|NODE_|FAIRLEAD_)/i;

/** The environment that measured programs get: this process's, without what npm, Node and Fairlead act upon. */
export function benchEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !foreign.test(name)) kept[name] = value;
  }
  return kept;
}
