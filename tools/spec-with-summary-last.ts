import { Readable } from 'node:stream';
import type { TestEvent } from 'node:test/reporters';
import { spec } from 'node:test/reporters';

/**
 * The runner's own `spec` reporter with one change: the summary lines (tests, pass, fail … duration_ms) come after the
 * coverage table instead of before it, so that the run ends with the runner's closing line. A skipped test is named, and
 * fails the run where FAIRLEAD_TEST_REQUIRE_ALL=1 says that everything needed is installed.
 */
export default async function* specWithSummaryLast(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const reporter = new spec();
  Readable.from(summaryLast(source)).pipe(reporter);
  for await (const chunk of reporter) yield String(chunk);
}

async function* summaryLast(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  const requireAll = process.env['FAIRLEAD_TEST_REQUIRE_ALL'] === '1';
  const summary: TestEvent[] = [];
  const skipped: string[] = [];
  for await (const event of source) {
    if (event.type === 'test:pass' && typeof event.data.skip === 'string') {
      skipped.push(`${event.data.name} (${event.data.skip})`);
    }
    if (event.type === 'test:diagnostic' && event.data.nesting === 0 && event.data.file === undefined) {
      summary.push(event);
    } else yield event;
  }
  if (requireAll && skipped.length > 0) {
    process.exitCode = 1;
    for (const name of skipped) process.stderr.write(`skipped although everything is required: ${name}\n`);
  }
  yield* summary;
}
