import type { Bench } from '../harness/bench.ts';
import { httpCall } from './http-call.ts';
import { runnerCall } from './runner-call.ts';

/** All benches, in the order they run. */
export const benches: readonly Bench[] = [runnerCall, httpCall];
