import type { Clock } from '@fairlead/base';
import type { BudgetWheel, HookDispatcher } from '@fairlead/extension/runtime';
import type { Report } from '../report.ts';
import type { SettingsBook } from '../settings/settings-book.ts';
import { CallFrames } from './call-frame.ts';

export interface EngineParts {
  readonly clock: Clock;
  readonly wheel: BudgetWheel;
  readonly hooks: HookDispatcher;
  readonly settings: Pick<SettingsBook, 'for'>;
  readonly report: Report;
}

/** What every call of one hub goes through, whatever its live set. */
export class Engine implements EngineParts {
  readonly clock: Clock;
  readonly wheel: BudgetWheel;
  readonly hooks: HookDispatcher;
  readonly settings: Pick<SettingsBook, 'for'>;
  readonly report: Report;
  readonly frames = new CallFrames();
  #lastCall = 0;

  constructor({ clock, wheel, hooks, settings, report }: EngineParts) {
    this.clock = clock;
    this.wheel = wheel;
    this.hooks = hooks;
    this.settings = settings;
    this.report = report;
  }

  /** A number for a call that has no id of its own. Negative: the dispatcher of hooks counts upwards. */
  nextCall(): number {
    this.#lastCall -= 1;
    return this.#lastCall;
  }
}
