import type { FastifyInstance } from 'fastify';
import { type Envelope, successEnvelope } from '../http/envelope.ts';
import type { SessionPort } from './session-port.ts';
import { type SessionRouteOptions, sessionRoute } from './session-route.ts';
import { modelsView } from './session-view.ts';

/** `/api/models`, `/api/admin/models/reload`, `/api/admin/pause` and `/api/admin/resume`. */
export function addHostRoutes(server: FastifyInstance, options: SessionRouteOptions): void {
  const { admission, log } = options;

  server.get(
    '/api/models',
    sessionRoute(options, 'session:read', async (host, { principal }) =>
      successEnvelope(modelsView(host.models, principal.scopes.includes('admin'))),
    ),
  );

  const reload = sessionRoute(options, null, async (host) => {
    const { added, later, words } = await host.addModels();
    if (added.length > 0) log('info', 'models.added', { backends: added.join(' ') });
    return successEnvelope({ added: [...added], later: [...later], words: [...words] });
  });
  server.post('/api/admin/models/reload', { ...reload, onRequest: admission.admin });

  const set = async (host: SessionPort, paused: boolean): Promise<Envelope> => {
    const changed = await (paused ? host.pause() : host.resume());
    if (changed) log('info', paused ? 'host.paused' : 'host.resumed', {});
    return successEnvelope({ paused, changed });
  };
  const pause = sessionRoute(options, null, async (host) => set(host, true));
  const resume = sessionRoute(options, null, async (host) => set(host, false));
  server.post('/api/admin/pause', { ...pause, onRequest: admission.admin });
  server.post('/api/admin/resume', { ...resume, onRequest: admission.admin });
}
