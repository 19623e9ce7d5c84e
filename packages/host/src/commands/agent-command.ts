import { attachedAgentForms, listForm } from './attached-agent-forms.ts';
import type { HostCommand } from './host-command.ts';
import { hostedAgentForms } from './hosted-agent-forms.ts';

export const agentCommand: HostCommand = {
  name: 'agent',
  aliases: ['agents'],
  about: 'The agents of this session and of this host.',
  forms: [listForm('agent'), ...attachedAgentForms, ...hostedAgentForms],
};
