import type { LiveSet } from '@fairlead/hub';

/** All of a tool in words: heading, description, parameters. Undefined where the set has none of this name, or `names` does not hold it. */
export declare function describeTool(
  set: Pick<LiveSet, 'tools'>,
  name: string,
  names?: ReadonlySet<string>,
): string | undefined;
