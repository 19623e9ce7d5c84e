import { defineExtension, messenger, s } from '@fairlead/extension';

export default defineExtension({
  name: 'standup',
  version: '0.1.0',
  settings: { board: s.string({ default: 'standup', description: 'Where reports go' }) },
  // Not any messenger: the targets below are names of boards, so it must be the one that has boards.
  uses: { board: messenger.from('noticeboard') },
  access: ['session_read'],
  tools: {
    report: {
      about: 'Sends a short report of what was done to the team’s board.',
      args: { done: s.string('What was done, in one sentence') },
      async run({ done }, ctx) {
        await ctx.caps.board.send({
          target: ctx.settings.board,
          body: { text: `${ctx.agent.name}: ${done}` },
        });
        return `Reported to ${ctx.settings.board}.`;
      },
    },
  },
  commands: {
    standup: {
      about: 'Sends how many messages this session has to a board.',
      args: { board: s.optional(s.string('The setting, unless it is said')) },
      async run({ board = '' }, ctx) {
        const entries = await ctx.session.read({ last: 200 });
        const messages = entries.filter(({ type }) => type === 'message').length;
        const target = board === '' ? ctx.settings.board : board;
        await ctx.caps.board.send({ target, body: { text: `${messages} messages in ${ctx.session.id}` } });
        return { text: `Told ${target}: ${messages} messages.`, data: { board: target, messages } };
      },
    },
  },
});
