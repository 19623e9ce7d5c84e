import { s } from '@fairlead/extension';
import { callerOf, defineBuiltin } from '../define-builtin.ts';
import { allowed } from '../errors.ts';
import { calculate, calculatorWords } from './calculate.ts';

/** What needs nothing: the time, arithmetic, and the whole description of a tool that is shown in short. */
export const system = defineBuiltin({
  name: 'system',
  version: '1.0.0',
  open: ({ peer }) => ({ peer }),
  tools: {
    get_time: {
      about: 'The time now, in UTC (RFC 3339).',
      effect: 'read',
      run: (_args, ctx) => new Date(ctx.now()).toISOString(),
    },
    calculate: {
      about: `Calculates an arithmetic expression, such as (2 + 3) * 4^2 or sin(pi / 6). ${calculatorWords}`,
      args: { expression: s.string() },
      effect: 'read',
      run: ({ expression }) => calculate(expression),
    },
    describe_tool: {
      about: 'All that is to know about a tool that is listed in short: what it does, and its parameters.',
      args: { name: s.string('The name of the tool') },
      effect: 'read',
      async run({ name }, ctx) {
        const text = await allowed(ctx.state.peer.describeTool(callerOf(ctx, 'describe_tool'), name));
        return (
          text ?? {
            text: `There is no tool of this name that you may use: ${name.slice(0, 64)}`,
            isError: true,
          }
        );
      },
    },
  },
});
