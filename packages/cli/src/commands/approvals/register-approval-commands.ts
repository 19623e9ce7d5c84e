import type { Command } from 'commander';
import { jsonFlag, stateDirFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** What people are asked before a tool runs. */
export function registerApprovalCommands(program: Command, execute: Execute): void {
  const approvals = program.command('approvals').description('calls that wait for somebody’s approval');
  approvals
    .command('list')
    .description('list what waits, with every argument')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./approvals.ts')).approvalsList(context, flags)),
    );
  approvals
    .command('approve')
    .argument('<id>', 'which one')
    .description('let the call run')
    .option('--turn', 'and the later calls of that tool in the same turn')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((id: string, flags) =>
      execute(async (context) => (await import('./approvals.ts')).approvalsApprove(context, id, flags)),
    );
  approvals
    .command('deny')
    .argument('<id>', 'which one')
    .description('refuse the call')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((id: string, flags) =>
      execute(async (context) => (await import('./approvals.ts')).approvalsDeny(context, id, flags)),
    );
}
