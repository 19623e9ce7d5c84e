import { isJsonObject, nearestKey } from '@fairlead/base';
import type { AskHost } from './ask-host.ts';
import { hostRefusal } from './host-refusal.ts';

/** Before anything is made or said: a session that nothing can be said in would stay. Rejects with `model_unknown`. */
export async function checkModel(ask: AskHost, model: string): Promise<void> {
  const answer = await ask({ method: 'GET', path: '/api/models' });
  const models = isJsonObject(answer) ? answer['models'] : undefined;
  // A host of another version says it itself.
  if (!Array.isArray(models) || models.includes(model)) return;
  const nearest = nearestKey(
    model,
    models.filter((ref) => typeof ref === 'string'),
  );
  throw await hostRefusal('model_unknown', nearest === undefined ? '' : `did you mean ${nearest}?`);
}
