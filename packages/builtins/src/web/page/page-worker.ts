import { parentPort, workerData } from 'node:worker_threads';
import { answerJob } from './answer-job.ts';
import type { PageJob } from './page-job.ts';

if (workerData?.fairlead === 'pages')
  parentPort?.on('message', (job: PageJob) => parentPort?.postMessage(answerJob(job)));
