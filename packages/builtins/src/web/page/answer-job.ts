import { duckDuckGoResults } from './duckduckgo-results.ts';
import type { PageJob, PageReply } from './page-job.ts';
import { readablePage } from './readable-page.ts';

/** Does one job of the thread that reads pages. Never throws, unless memory ends. */
export function answerJob(job: PageJob): PageReply {
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
