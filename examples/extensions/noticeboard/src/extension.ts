import { defineExtension, messenger, s } from '@fairlead/extension';

/** One notice on a board. A `type`, because what a tool answers is JSON and an `interface` is never known to be. */
type Notice = {
  readonly text: string;
  readonly at: number;
};

export default defineExtension({
  name: 'noticeboard',
  version: '0.1.0',
  settings: {
    keep: s.integer({ default: 20, minimum: 1, maximum: 200, description: 'Notices that a board keeps' }),
  },
  open: () => ({ boards: new Map<string, readonly Notice[]>() }),
  tools: {
    read_board: {
      about: 'Reads the newest notices of a board, the newest first.',
      args: {
        board: s.string('Name of the board'),
        last: s.integer({ default: 5, minimum: 1, maximum: 50 }),
      },
      effect: 'read',
      run: ({ board, last }, ctx) => (ctx.state.boards.get(board) ?? []).slice(-last).reverse(),
    },
  },
  commands: {
    board: {
      about: 'Shows what is on a board.',
      args: { board: s.string() },
      run({ board }, ctx) {
        const notices = ctx.state.boards.get(board) ?? [];
        return notices.length === 0
          ? `Nothing is on ${board}.`
          : notices.map(({ text }) => `- ${text}`).join('\n');
      },
    },
  },
  status: (ctx) => ({ boards: String(ctx.state.boards.size) }),
  provides: {
    messenger: {
      cap: messenger,
      impl: {
        // The syntax of a target is the provider's own: here it is the name of a board.
        send({ target, body }, ctx) {
          const notices = [...(ctx.state.boards.get(target) ?? []), { text: body.text, at: ctx.now() }];
          ctx.state.boards.set(target, notices.slice(-ctx.settings.keep));
          return null;
        },
      },
    },
  },
  close: ({ boards }) => boards.clear(),
});
