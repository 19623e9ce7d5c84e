// A native plugin with a large catalog: `catalog-plugin.mjs COUNT` offers that many tools, each with the schemas, texts and
// annotations that a grown plugin has. With `--stamp FILE` after it, it writes there when it gives its catalog, and who it
// is. Its tools are never called.
import { writeFileSync } from 'node:fs';

const count = Number(process.argv[2]);
const stampFile = process.argv[3] === '--stamp' ? process.argv[4] : undefined;

function tool(index) {
  return {
    name: `records.update_${index}`,
    title: `Update records of kind ${index}`,
    description: `Finds the records of kind ${index} that match a filter, applies the changes and answers what was changed. Records that do not match stay as they are.`,
    inputSchema: {
      type: 'object',
      properties: {
        filter: {
          type: 'object',
          description: 'Which records; all of the given members must match.',
          properties: {
            ids: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 64 }, maxItems: 100 },
            state: { type: 'string', enum: ['open', 'waiting', 'closed'] },
            owner: { type: 'string', maxLength: 128 },
          },
          additionalProperties: false,
        },
        changes: {
          type: 'object',
          properties: {
            title: { type: 'string', minLength: 1, maxLength: 256 },
            priority: { type: 'integer', enum: [1, 2, 3, 4, 5] },
            labels: { type: 'array', items: { type: 'string', maxLength: 64 }, minItems: 0, maxItems: 32 },
            archived: { type: 'boolean' },
          },
          additionalProperties: false,
        },
        dry_run: { type: 'boolean', description: 'Answer what would change; change nothing.' },
      },
      required: ['filter', 'changes'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        changed: { type: 'array', items: { type: 'string' } },
        count: { type: 'integer' },
      },
      required: ['changed', 'count'],
    },
    annotations: {
      title: `Update ${index}`,
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    },
  };
}

const tools = Array.from({ length: count }, (_, index) => tool(index));

let text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
    const { id, method, params } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    const result = method === 'initialize' ? { protocolVersion: params.protocolVersion } : { tools };
    const line = `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
    if (stampFile !== undefined && method === 'tools/list') {
      writeFileSync(stampFile, JSON.stringify({ atNs: String(process.hrtime.bigint()), pid: process.pid }));
    }
    process.stdout.write(line);
  }
});
