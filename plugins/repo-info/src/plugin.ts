import { definePlugin, runPlugin } from '@fairlead/plugin-sdk';
import { gitSummaryTool } from './git-summary.ts';

runPlugin(definePlugin({ tools: [gitSummaryTool({ cwd: process.cwd(), env: process.env })] }));
