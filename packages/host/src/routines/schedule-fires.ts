import { isJsonObject } from '@fairlead/base';
import type { Database, RecordId } from '@fairlead/store';
import { routineLimits } from '../limits.ts';

/** Where an agent's database says which of its schedules fired. */
export const FIRES_TABLE = 'schedule_fires';

/** One firing: its directive is in the session. */
export interface ScheduleFire {
  readonly schedule: string;
  readonly generation: number;
}

/** The newest first, as many as are looked at. */
export async function* newestFires(
  database: Database,
  most: number = routineLimits.firesCounted,
): AsyncGenerator<ScheduleFire, void> {
  let before: RecordId | undefined;
  for (let seen = 0; seen < most; seen += routineLimits.listed) {
    const page = await database.table(FIRES_TABLE).tail(routineLimits.listed, before);
    for (const { value } of page.rows) {
      if (!isJsonObject(value)) continue;
      const { schedule, generation } = value;
      if (typeof schedule === 'string' && typeof generation === 'number') yield { schedule, generation };
    }
    if (page.before === null) return;
    before = page.before;
  }
}
