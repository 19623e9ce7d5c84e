import type { JsonObject } from '@fairlead/base';
import { scopes } from '@fairlead/dispatch';

const text = { type: 'string' };
const timeOrNull = { type: ['integer', 'null'], description: 'Milliseconds since 1970.' };
const runners = { type: 'array', items: text };

/** Tokens as the administration's routes take and give them. */
export const tokenSchemas: { readonly listing: JsonObject; readonly request: JsonObject } = {
  listing: {
    type: 'object',
    properties: {
      id: text,
      name: text,
      kind: { enum: ['personal', 'runner'] },
      scopes: { type: 'array', items: text },
      runner: { ...text, description: 'Of a Runner token.' },
      runners: {
        ...runners,
        type: ['array', 'null'],
        description: 'Of a personal token; null: every Runner.',
      },
      createdAtMs: { type: 'integer', description: 'Milliseconds since 1970.' },
      expiresAtMs: timeOrNull,
      revokedAtMs: timeOrNull,
    },
    required: ['id', 'name', 'kind', 'scopes', 'createdAtMs', 'expiresAtMs', 'revokedAtMs'],
  },
  request: {
    oneOf: [
      {
        type: 'object',
        title: 'A personal token',
        properties: {
          name: text,
          scopes: { type: 'array', items: { enum: [...scopes] } },
          runners,
          expiresInMs: { type: 'integer' },
        },
        required: ['name', 'scopes'],
        additionalProperties: false,
      },
      {
        type: 'object',
        title: 'A Runner token',
        properties: { runner: text, name: text, expiresInMs: { type: 'integer' } },
        required: ['runner'],
        additionalProperties: false,
      },
    ],
  },
};
