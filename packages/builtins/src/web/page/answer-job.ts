import { webLimits } from '../../limits.ts';
import { duckDuckGoResults } from './duckduckgo-results.ts';
import { PageGrowth } from './page-growth.ts';
import type { PageJob, PageReply, ReadablePage } from './page-job.ts';
import { readablePage } from './readable-page.ts';

/** Does one job of the thread that reads pages. Never throws, unless memory ends. */
export function answerJob(job: PageJob): PageReply {
  try {
    const value = job.kind === 'page' ? sent(readablePage(job.html, job.url)) : duckDuckGoResults(job.html);
    return { ok: true, value };
  } catch (thrown) {
    return { ok: false, reason: reasonOf(thrown) };
  }
}

/** Never much more than is shown of it. */
function sent({ title, markdown }: ReadablePage): ReadablePage {
  const short = title.slice(0, webLimits.titleMax);
  // One unit more, so that who shows it sees that there is more.
  const beginning = markdown.slice(0, webLimits.shownMax + 1);
  return beginning.length === markdown.length
    ? { title: short, markdown }
    : { title: short, markdown: beginning, wholeUnits: markdown.length };
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof PageGrowth) return 'it would grow far beyond its size';
  return thrown instanceof RangeError ? 'it is nested too deeply' : 'it is too broken';
}
