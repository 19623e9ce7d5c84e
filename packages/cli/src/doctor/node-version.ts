import { type Finding, ill, well } from './finding.ts';

/** The first major version that runs TypeScript as it is and has SQLite built in. */
const leastMajor = 24;

/**
 * The Node that runs this command, and the one that a plugin gets which names `node`: an older one runs JavaScript, and
 * stops at TypeScript.
 */
export function checkNodeVersion(found: {
  readonly own: string;
  /** What `node --version` of the PATH said; null where there is none. */
  readonly onPath: string | null;
  /** A plugin of runner.toml is started as `node …`. */
  readonly isNamed: boolean;
}): Finding[] {
  const check = 'node';
  if (majorOf(found.own) < leastMajor) {
    return [
      ill('fail', { check, what: `this command runs on Node ${bare(found.own)}`, code: 'node_too_old' }),
    ];
  }
  const own = well(check, `Node ${bare(found.own)}`);
  if (!found.isNamed || found.onPath === null || majorOf(found.onPath) >= leastMajor) return [own];
  const what = `plugins that name node get Node ${bare(found.onPath)}, which does not run TypeScript`;
  return [own, ill('warn', { check, what, code: 'node_too_old' })];
}

function majorOf(version: string): number {
  return Number(bare(version).split('.')[0]);
}

function bare(version: string): string {
  return version.trim().replace(/^v/, '');
}
