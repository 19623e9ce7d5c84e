export {
  type AuthorProject,
  authorProject,
  type CompilerOptions,
  compilers,
  nodeOfTheMachine,
} from './author-project.ts';
export { heldBytes } from './held-bytes.ts';
export { type Hygiene, type HygieneOptions, hygiene, type TestLike } from './hygiene.ts';
export { type ManualClock, manualClock } from './manual-clock.ts';
export { type NobodyOptions, spawnAsNobody } from './nobody.ts';
export { environmentHolds, isLive, type ProcessRow, pidIsAlive, processTable } from './process-table.ts';
export { repositoryRoot } from './repository-root.ts';
export { type Requirement, requires } from './requirements.ts';
export { type SeededRandom, seededRandom } from './seeded-random.ts';
export { temporaryFolder } from './temporary-folder.ts';
export { type WaitOptions, waitFor } from './wait-for.ts';
