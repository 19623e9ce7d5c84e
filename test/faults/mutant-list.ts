import type { FoundKind } from './figures.ts';

/** One text of one file that becomes another. `from` stands in the file exactly once. */
export type Edit = { readonly file: string; readonly from: string; readonly to: string };

/** A lie that can be planted. */
export type Mutant = {
  readonly name: string;
  /** The lie, as a sentence of the report. */
  readonly lie: string;
  /** What it is caught as: something else that is found does not count. */
  readonly as: readonly FoundKind[];
  readonly edits: readonly Edit[];
};

/** Lies about what happened, each of which the suite has to catch within 300 rounds. */
export const mutants: readonly Mutant[] = [
  {
    name: 'timeout',
    lie: 'a call that timed out is told as not_started',
    as: ['false not_started'],
    edits: [
      {
        file: 'packages/runner/src/provider/provider-instance.ts',
        from: "answer(refusal(end.code, end.handed ? 'outcome_unknown' : 'not_started'));",
        to: "answer(refusal(end.code, end.handed && end.code !== 'plugin_timeout' ? 'outcome_unknown' : 'not_started'));",
      },
    ],
  },
  {
    name: 'invented-answer',
    lie: 'a call whose plugin died is told as completed, without its answer',
    as: ['false completed'],
    edits: [
      {
        file: 'packages/runner/src/provider/provider-instance.ts',
        from: "answer(refusal(end.code, end.handed ? 'outcome_unknown' : 'not_started'));",
        to: "answer(end.code === 'plugin_eof' ? completed({ kind: 'tools_call', result: { content: [] } }) : refusal(end.code, 'outcome_unknown'));",
      },
    ],
  },
  {
    name: 'retry',
    lie: 'a call whose answer was lost with the link is sent again',
    as: ['double execution'],
    edits: [
      {
        file: 'packages/dispatch/src/plugin-tool/call.ts',
        from: 'await port.request(observed.runner, observed.runnerInstance, request, { budgetMs, call }),',
        to: `await (async () => {
      const first = await port.request(observed.runner, observed.runnerInstance, request, { budgetMs, call });
      if (first.certainty !== 'outcome_unknown' || !('fault' in first) || first.fault.code !== 'runner_unavailable') return first;
      for (let look = 0; look < 200 && port.runners().length === 0; look += 1) await new Promise((resolve) => setTimeout(resolve, 10));
      return await port.request(observed.runner, observed.runnerInstance, request, { budgetMs, call: \`\${call.slice(0, -1)}_\` });
    })(),`,
      },
    ],
  },
  {
    name: 'early-answer',
    lie: 'an answer leaves before its outcome is in the journal',
    as: ['lost record'],
    edits: [
      {
        file: 'packages/dispatch/src/invocation/invoker.ts',
        from: 'await journal.settle(call, { certainty: ending.certainty, code: codeOf(ending) });',
        to: 'setTimeout(() => void journal.settle(call, { certainty: ending.certainty, code: codeOf(ending) }).catch(() => {}), 20);',
      },
    ],
  },
  {
    name: 'late-intent',
    lie: 'the intent of a call is written when it has been sent',
    as: ['lost record'],
    edits: [
      {
        file: 'packages/dispatch/src/invocation/invoker.ts',
        from: `if (!(await journal.start(entry, also)))
        return await this.#end(entry, task, refusedEnding(this.#expired()));`,
        to: `const late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => journal.start(entry, also));
      late.catch(() => {});
      Object.assign(entry, { late });`,
      },
      {
        file: 'packages/dispatch/src/invocation/invoker.ts',
        from: 'await journal.settle(call,',
        to: 'await (entry as never as { late: Promise<void> }).late;\n      await journal.settle(call,',
      },
    ],
  },
  {
    name: 'no-tomb',
    lie: 'a call is settled as never seen, and carried out when it comes after all',
    as: ['false not_started'],
    edits: [{ file: 'packages/runner/src/calls/call-ledger.ts', from: 'this.#entombed.add(call);', to: '' }],
  },
  {
    name: 'lost-link',
    lie: 'a call that was sent when its link was lost is told as not_started',
    as: ['false not_started'],
    edits: [
      {
        file: 'packages/gateway/src/link/pending-request.ts',
        from: "return pending.isHanded ? 'outcome_unknown' : 'not_started';",
        to: "return 'not_started';",
      },
    ],
  },
  {
    name: 'recovered',
    lie: 'an intent without an end is recorded at the next start as not_started',
    as: ['false not_started'],
    edits: [
      {
        file: 'packages/dispatch/src/journal/journal-row.ts',
        from: 'sql: "UPDATE journal SET certainty = \'outcome_unknown\', code = ?, finished = ? WHERE finished IS NULL AND boot <> ?",',
        to: 'sql: "UPDATE journal SET certainty = \'not_started\', code = ?, finished = ? WHERE finished IS NULL AND boot <> ?",',
      },
    ],
  },
  {
    name: 'forgotten',
    lie: 'a call that no Runner can say anything about any more is told as not_started',
    as: ['contradiction', 'false not_started'],
    edits: [
      {
        file: 'packages/dispatch/src/settling/settler.ts',
        from: "this.#isBeyondReach(record) ? { ...known, code: 'call_forgotten' } : known",
        to: "this.#isBeyondReach(record) ? { certainty: 'not_started', code: 'call_forgotten' } : known",
      },
    ],
  },
  {
    name: 'repeated',
    lie: 'a request that came twice is carried out twice',
    as: ['double execution'],
    edits: [
      {
        file: 'packages/runner/src/calls/call-ledger.ts',
        from: 'if (!this.#running.has(call) && !this.#kept.has(call)) return null;',
        to: 'return null;',
      },
    ],
  },
  {
    name: 'copy-refused',
    lie: 'the copy of a request is answered as if the call had never begun',
    as: ['false not_started'],
    edits: [
      {
        file: 'packages/runner/src/calls/call-ledger.ts',
        from: "return refusal('plugin_call_repeated', 'outcome_unknown');",
        to: "return refusal('plugin_provider_busy', 'not_started');",
      },
    ],
  },
  {
    name: 'lost-by-client',
    lie: '`fairlead mcp` says not_started when its gateway died under a call',
    as: ['false not_started'],
    edits: [
      {
        file: 'packages/cli/src/mcp/mcp-gateway.ts',
        from: ": failureOf('answer_lost', 'outcome_unknown');",
        to: ": failureOf('server_unreachable');",
      },
    ],
  },
  {
    name: 'unwritten-end',
    lie: 'an end that the disk did not take is told as if it stood in the journal',
    as: ['lost record'],
    edits: [
      {
        file: 'packages/dispatch/src/invocation/invoker.ts',
        from: 'certainty: ending.certainty });\n      return unsettled(invocation, task);',
        to: 'certainty: ending.certainty });\n      return invocation;',
      },
    ],
  },
  {
    name: 'orphans',
    lie: 'the processes of a killed Runner are left running',
    as: ['left behind'],
    edits: [
      {
        file: 'packages/process/src/watchdog/watchdog.ts',
        from: "if ((options.platform ?? process.platform) !== 'win32') this.#start();",
        to: '',
      },
    ],
  },
  {
    name: 'left-plugin',
    lie: 'the process of a plugin that has failed is left running under its Runner',
    as: ['left behind'],
    edits: [
      {
        file: 'packages/runner/src/provider/provider-process.ts',
        from: 'await tree.end();',
        to: 'await Promise.resolve({ survivors: tree.pid * 0 });',
      },
    ],
  },
  {
    name: 'session-invents',
    lie: 'an unknown call of a turn stands in its session as completed',
    as: ['false completed', 'contradiction'],
    edits: [
      {
        file: 'packages/host/src/calls/call-record.ts',
        from: "type: 'tool_result',\n      call: this.#request.call,\n      certainty,",
        to: "type: 'tool_result',\n      call: this.#request.call,\n      certainty: certainty === 'outcome_unknown' ? 'completed' : certainty,",
      },
    ],
  },
  {
    name: 'session-early',
    lie: 'the end of a turn’s call stands in its session before it stands in the journal',
    as: ['contradiction', 'lost record', 'false completed'],
    edits: [
      {
        file: 'packages/host/src/calls/call-record.ts',
        from: 'else await this.#floor.store.write(settled);',
        to: 'else setTimeout(() => void this.#floor.store.write(settled).catch(() => {}), 500);',
      },
    ],
  },
  {
    name: 'session-late',
    lie: 'a turn goes on and ends before its session has what its call came to',
    as: ['lost record', 'contradiction'],
    edits: [
      {
        file: 'packages/host/src/calls/run-call.ts',
        from: 'await this.#record.resultOrOwed(said, ended.changedBy);',
        to: 'setTimeout(() => void this.#record.resultOrOwed(said, ended.changedBy).catch(() => {}), 200);',
      },
    ],
  },
  {
    name: 'session-settles',
    lie: 'what a call came to is told to its session as if it had never begun',
    as: ['contradiction', 'false not_started'],
    edits: [
      {
        file: 'packages/host/src/clients/client-recorder.ts',
        from: "type: 'tool_settled',\n      call,\n      certainty,",
        to: "type: 'tool_settled',\n      call,\n      certainty: 'not_started',",
      },
    ],
  },
  {
    name: 'slot-again',
    lie: 'a schedule whose turn was cut short fires for the same moment again',
    as: ['double execution'],
    edits: [
      {
        file: 'packages/host/src/routines/agent-schedules.ts',
        from: "return { state: 'unknown', code: 'turn_interrupted' };",
        to: "return { state: 'again' };",
      },
      {
        file: 'packages/host/src/routines/slot-rows.ts',
        from: "AND state = 'claimed'`;",
        to: "AND state IN ('claimed', 'running')`;",
      },
    ],
  },
  {
    name: 'slot-completes',
    lie: 'a schedule whose turn was cut short is told as fired and completed',
    as: ['false completed'],
    edits: [
      {
        file: 'packages/host/src/routines/agent-schedules.ts',
        from: "return { state: 'unknown', code: 'turn_interrupted' };",
        to: "return { state: 'fired', outcome: 'completed' };",
      },
    ],
  },
  {
    name: 'agents-refused',
    lie: 'every call of an agent is refused before it is begun',
    as: ['contradiction', 'never ran'],
    edits: [
      {
        file: 'packages/host/src/calls/may-run.ts',
        from: "if (isTooLarge(final.args)) return no(refusal('arguments_too_large'));",
        to: "return no(refusal('arguments_too_large'));",
      },
    ],
  },
  {
    name: 'never-fires',
    lie: 'a schedule that was acknowledged never fires',
    as: ['no answer', 'contradiction', 'never ran'],
    edits: [
      {
        file: 'packages/host/src/routines/routine-engine.ts',
        from: 'if (first.atMs > now) break;',
        to: 'if (Number.isFinite(now)) break;',
      },
      {
        file: 'packages/host/src/routines/routine-engine.ts',
        from: 'Math.max(0, next.atMs - now)',
        to: 'Math.max(60_000, next.atMs - now)',
      },
    ],
  },
  {
    name: 'mute-runner',
    lie: 'a Runner that has the answer of a call says, when it is asked, that the plugin gave none',
    as: ['not settled', 'contradiction'],
    edits: [
      {
        file: 'packages/runner/src/calls/call-ledger.ts',
        from: "return outcomeText(call, 'completed', kept);",
        to: "return outcomeText(call, 'completed', encodeResponse(refusal('plugin_timeout', 'outcome_unknown')));",
      },
    ],
  },
  {
    name: 'never-answered',
    lie: 'a call that was sent when its link was lost is never answered',
    as: ['no answer'],
    edits: [
      {
        file: 'packages/gateway/src/link/request-lane.ts',
        from: "this.#settle(pending, linkFailure(certaintyWithoutAnswer(pending), 'runner_unavailable'));",
        to: "if (pending.isHanded) pending.timer?.cancel();\n      else this.#settle(pending, linkFailure(certaintyWithoutAnswer(pending), 'runner_unavailable'));",
      },
    ],
  },
  {
    name: 'no-id',
    lie: 'the answer of the plugin reaches its caller without the id of the call',
    as: ['contradiction'],
    edits: [
      {
        file: 'packages/dispatch/src/invocation/invocation-of.ts',
        from: "const answer: Invocation = { call, action, certainty: 'completed', output, isProviderResult };",
        to: "const answer: Invocation = { action, certainty: 'completed', output, isProviderResult };",
      },
    ],
  },
  {
    name: 'other-id',
    lie: 'the answer of the plugin reaches its caller with an id that no call has',
    as: ['lost record'],
    edits: [
      {
        file: 'packages/dispatch/src/invocation/invocation-of.ts',
        from: "const answer: Invocation = { call, action, certainty: 'completed', output, isProviderResult };",
        to: "const answer: Invocation = { call: call.replace(/.$/, '_'), action, certainty: 'completed', output, isProviderResult };",
      },
    ],
  },
];
