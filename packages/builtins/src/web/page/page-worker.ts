import { parentPort, workerData } from 'node:worker_threads';
import { duckDuckGoResults } from './duckduckgo-results.ts';
import type { PageJob, PageReply } from './page-job.ts';
import { readablePage } from './readable-page.ts';

if (workerData?.fairlead === 'pages')
  parentPort?.on('message', (job: PageJob) => parentPort?.postMessage(replyTo(job)));

function replyTo(job: PageJob): PageReply {
  try {
    const value = job.kind === 'page' ? readablePage(job.html, job.url) : duckDuckGoResults(job.html);
    return { ok: true, value };
  } catch (thrown) {
    return {
      ok: false,
      reason: thrown instanceof RangeError ? 'it is nested too deeply' : 'it is too broken',
    };
  }
}
