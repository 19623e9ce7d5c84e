import type { JsonObject } from '@fairlead/base';
import { mayUseRunner, type Principal } from '../principal.ts';
import type { RunnerPort, VisibleProject, VisibleRunner } from '../runner-port.ts';
import { projectIdOf } from './project-id.ts';

/** A project with the Runner on whose machine it is. */
export type FoundProject = {
  readonly id: string;
  readonly runner: VisibleRunner;
  readonly project: VisibleProject;
};

/** Every project of the connected Runners that the principal may use, by id. */
export function visibleProjects(port: RunnerPort, principal: Principal): FoundProject[] {
  return port
    .runners()
    .filter(({ runner }) => mayUseRunner(principal, runner))
    .flatMap((runner) =>
      runner.projects.map((project) => ({ id: projectIdOf(runner.runner, project.id), runner, project })),
    )
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

/** One of them. One that is not there and one that may not be seen look alike. */
export function findProject(port: RunnerPort, principal: Principal, id: string): FoundProject | undefined {
  return visibleProjects(port, principal).find((found) => found.id === id);
}

/** A project as callers see it. */
export function projectRow({ id, runner, project }: FoundProject): JsonObject {
  const { name, kind } = project;
  const row = { project: id, name, kind, runner: runner.runner };
  return runner.name === undefined ? row : { ...row, runnerName: runner.name };
}
