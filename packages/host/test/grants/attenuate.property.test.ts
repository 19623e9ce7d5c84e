import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { attenuate } from '../../src/grants/attenuate.ts';
import { allowsEndpoint } from '../../src/grants/endpoint.ts';
import type { Endpoint, Grants } from '../../src/grants/grants.ts';
import { covers } from '../../src/grants/path-prefix.ts';
import { allowsCommand } from '../../src/grants/shell-grant.ts';

/** Few words, so that what is asked and what is granted meet often. */
const segment = fc.constantFrom('desk', 'deskother', 'a', 'b');
const path = fc.array(segment, { maxLength: 3 }).map((segments) => `/${segments.join('/')}`);
const word = fc.constantFrom('git', 'log', 'push', 'rm', 'sh', '-c', 'python3', '/usr/bin/rm', 'RM');
const words = fc.array(word, { minLength: 1, maxLength: 3 });
const host = fc.constantFrom('x.org', 'a.x.org', 'b.a.x.org', 'ax.org', '127.0.0.1');
const wild = fc.constantFrom('*', '*.x.org', '*.a.x.org', '*.org');
const method = fc.constantFrom('GET', 'POST');
const maybe = <T>(from: fc.Arbitrary<T>) => fc.option(from, { nil: undefined });
const list = <T>(from: fc.Arbitrary<T>) => maybe(fc.array(from, { maxLength: 3 }));

function present<T extends object>(members: T) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

const endpoint = fc
  .record({
    host: fc.oneof(host, wild),
    pathPrefix: maybe(path.filter((one) => one !== '/')),
    methods: maybe(fc.subarray(['GET', 'POST'])),
  })
  .map((members) => present(members) as unknown as Endpoint);
const grants = fc
  .record({
    shell: maybe(fc.record({ allow: list(words), deny: list(words) }).map(present)),
    network: maybe(fc.record({ endpoints: list(endpoint), allowPrivate: fc.boolean() }).map(present)),
    fs: maybe(fc.record({ read: list(path), write: list(path) }).map(present)),
  })
  .map((members) => present(members) as Grants);
const levels = fc.array(maybe(grants), { minLength: 1, maxLength: 4 });

const allowsPath = (level: Grants, use: 'read' | 'write', asked: string) =>
  level.fs?.[use]?.some((granted) => covers(granted, asked)) ?? true;

/** What is asked of each level and of all of them together. */
function assertSame(given: readonly (Grants | undefined)[], allows: (level: Grants) => boolean) {
  const each = given.every((level) => level === undefined || allows(level));
  assert.equal(allows(attenuate(...given)), each);
}

test('a command is allowed by all levels together exactly where each level allows it', () => {
  fc.assert(
    fc.property(levels, words, (given, argv) =>
      assertSame(given, (level) => allowsCommand(level.shell, argv)),
    ),
    { numRuns: 2000 },
  );
});

test('a request is allowed by all levels together exactly where each level allows it', () => {
  const askedPath = fc.oneof(path, fc.constantFrom('/desk/', '/desk/%2e%2e/a', '/desk//a', '/desk;a'));
  const request = fc.record({ host, path: askedPath, method });
  fc.assert(
    fc.property(levels, request, (given, asked) => {
      assertSame(given, (level) => allowsEndpoint(level.network, asked));
      assertSame(given, (level) => level.network?.allowPrivate ?? true);
    }),
    { numRuns: 2000 },
  );
});

test('a path is allowed by all levels together exactly where each level allows it', () => {
  const use = fc.constantFrom('read' as const, 'write' as const);
  fc.assert(
    fc.property(levels, use, path, (given, how, asked) =>
      assertSame(given, (level) => allowsPath(level, how, asked)),
    ),
    { numRuns: 2000 },
  );
});

test('neither order nor grouping of levels changes what is allowed', () => {
  fc.assert(
    fc.property(levels, words, path, fc.record({ host, path, method }), (given, argv, asked, request) => {
      const there = attenuate(...given);
      const back = attenuate(...[...given].reverse());
      const grouped = given.reduce<Grants>((sum, level) => attenuate(level, sum), {});
      for (const other of [back, grouped]) {
        assert.equal(allowsCommand(other.shell, argv), allowsCommand(there.shell, argv));
        assert.equal(allowsPath(other, 'read', asked), allowsPath(there, 'read', asked));
        assert.equal(allowsEndpoint(other.network, request), allowsEndpoint(there.network, request));
      }
    }),
    { numRuns: 1000 },
  );
});
