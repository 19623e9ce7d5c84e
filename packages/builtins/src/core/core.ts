import { s } from '@fairlead/extension';
import { callerOf, defineBuiltin } from '../define-builtin.ts';
import { allowed, toolFault } from '../errors.ts';
import { shellLimits, spawnLimits } from '../limits.ts';
import { Shell } from './shell/shell.ts';
import { spawnOutput } from './spawn.ts';

/** What a child may be told, beside whom it is. */
const ORDER = {
  task: s.string({
    minLength: 1,
    description: 'What it is to do, complete in itself: it sees nothing of this conversation',
  }),
  context: s.optional(s.string('What it has to know beside the task')),
};

const CHILD = {
  model: s.optional(s.string('backend/model, instead of its own')),
  max_iterations: s.optional(
    s.integer({ minimum: 1, maximum: spawnLimits.maxIterations, description: 'At most so many steps' }),
  ),
  async: s.boolean({ default: false, description: 'Answer at once with the id of its session' }),
};

/** Commands, the summary, and children of an agent. */
export const core = defineBuiltin({
  name: 'core',
  version: '1.0.0',
  open: ({ peer }) => ({ peer, shell: new Shell(peer) }),
  tools: {
    shell: {
      about: `Runs a command line and answers what it prints, at most ${shellLimits.outputMaxBytes} bytes. Plain words run without a shell, everything else through sh. Nothing that it starts outlives the call.`,
      args: {
        command: s.string(),
        working_dir: s.string({ default: '.', description: 'Relative to the workspace, or absolute' }),
      },
      risk: 'high',
      approval: 'always',
      timeoutMs: shellLimits.timeoutMs,
      run({ command, working_dir }, ctx) {
        const caller = callerOf(ctx, 'shell');
        return ctx.state.shell.run({ caller, command, folder: working_dir, signal: ctx.signal });
      },
    },
    compact: {
      about: 'Replaces everything before this turn by a summary. Write down whatever has to be remembered.',
      args: { summary: s.string() },
      effect: 'records',
      async run(args, ctx) {
        const { summary } = args;
        if (summary.trim() === '') throw toolFault('not_started', 'summary_empty');
        await ctx.state.peer.compact(callerOf(ctx, 'compact', args), summary);
        return 'Summarised: the summary now stands for what came before this turn.';
      },
    },
    spawn_agent: {
      about: 'Gives a task to another agent of this host, in a session of its own, and waits for its answer.',
      args: { agent_ref: s.string('Its name or id'), ...ORDER, ...CHILD },
      risk: 'medium',
      approval: 'unless_auto_approved',
      timeoutMs: spawnLimits.timeoutMs,
      async run(args, ctx) {
        const { agent_ref, ...order } = args;
        const { max_iterations: maxIterations, ...rest } = order;
        const request = { ...rest, kind: 'agent', name: agent_ref, signal: ctx.signal } as const;
        const caller = callerOf(ctx, 'spawn_agent', args);
        return spawnOutput(
          await allowed(
            ctx.state.peer.spawn(
              caller,
              maxIterations === undefined ? request : { ...request, maxIterations },
            ),
          ),
        );
      },
    },
    spawn_worker: {
      about: 'Gives a task to one of your workers, in a session of its own, and waits for its answer.',
      args: {
        name: s.string('The name of the worker'),
        ...ORDER,
        tools: s.optional(
          s.array(s.string(), {
            maxItems: spawnLimits.tools,
            description: 'Only these of its tools; `prefix*` for several',
          }),
        ),
        ...CHILD,
      },
      risk: 'medium',
      approval: 'unless_auto_approved',
      timeoutMs: spawnLimits.timeoutMs,
      async run(args, ctx) {
        const { max_iterations: maxIterations, ...order } = args;
        const request = { ...order, kind: 'worker', signal: ctx.signal } as const;
        const caller = callerOf(ctx, 'spawn_worker', args);
        return spawnOutput(
          await allowed(
            ctx.state.peer.spawn(
              caller,
              maxIterations === undefined ? request : { ...request, maxIterations },
            ),
          ),
        );
      },
    },
  },
  status({ state }) {
    const { sandbox, failedServers } = state.peer;
    const failed = failedServers();
    return {
      ...(sandbox.bubblewrap === undefined ? { shell: 'no sandbox' } : {}),
      ...(failed === 0 ? {} : { mcp: `${failed} failed` }),
    };
  },
});
