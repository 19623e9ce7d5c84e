import type { Bench } from '../harness/bench.ts';
import { admission } from './admission.ts';
import { cliHelp } from './cli-help.ts';
import { eightProviders } from './eight-providers.ts';
import { hookDispatch } from './hook-dispatch.ts';
import { httpCall } from './http-call.ts';
import { idleMemory } from './idle-memory.ts';
import { liveSet } from './live-set.ts';
import { mcpHttp } from './mcp-http.ts';
import { mcpServers } from './mcp-servers.ts';
import { mcpStdio } from './mcp-stdio.ts';
import { models } from './models.ts';
import { peers } from './peers.ts';
import { pinnedCall } from './pinned-call.ts';
import { recall } from './recall.ts';
import { routines } from './routines.ts';
import { runCold } from './run-cold.ts';
import { runnerCall } from './runner-call.ts';
import { schedules } from './schedules.ts';
import { settling } from './settling.ts';
import { storeAppend } from './store-append.ts';
import { storeMemory } from './store-memory.ts';
import { storeOpen } from './store-open.ts';
import { turn } from './turn.ts';
import { turnsAtOnce } from './turns-at-once.ts';
import { upReady } from './up-ready.ts';

/** All benches, in the order they run. */
export const benches: readonly Bench[] = [
  runnerCall,
  httpCall,
  settling,
  mcpHttp,
  mcpStdio,
  mcpServers,
  peers,
  admission,
  eightProviders,
  cliHelp,
  runCold,
  upReady,
  hookDispatch,
  liveSet,
  models,
  turn,
  turnsAtOnce,
  pinnedCall,
  storeAppend,
  storeOpen,
  storeMemory,
  schedules,
  routines,
  recall,
  idleMemory,
];
