import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block and the comment that stands right above it. */
export type Block = {
  /** The first word of the info string: `sh`, `toml`, `ts`, … */
  readonly language: string;
  readonly text: string;
  /** 1-based line of the opening fence. */
  readonly line: number;
  /** The text of `<!-- … -->` on the line above, or null. */
  readonly marker: string | null;
};

type Link = { readonly target: string; readonly line: number };

/** One page, read as far as the tests need it. */
export type Page = {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly links: readonly Link[];
  /** What a link may name behind `#`. */
  readonly anchors: ReadonlySet<string>;
  /** `<!-- page: … -->` comments, such as `host` or `needs python3`. */
  readonly remarks: readonly string[];
};

/** Every page of the repository, in the order of their paths. */
export function readPages(root: string): Page[] {
  const generated = /(^|[/\\])(node_modules|dist|coverage|\.[^/\\]+)([/\\]|$)/;
  return globSync('**/*.md', { cwd: root, exclude: (name) => generated.test(name) })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => readPage(path, readFileSync(join(root, path), 'utf8')));
}

/** Reads one page: CommonMark as far as this repository uses it. */
function readPage(path: string, text: string): Page {
  const blocks: Block[] = [];
  const links: Link[] = [];
  const remarks: string[] = [];
  const slugs: string[] = [];
  let open: { fence: string; language: string; line: number; marker: string | null; body: string[] } | null =
    null;
  let marker: string | null = null;
  text.split('\n').forEach((content, index) => {
    const line = index + 1;
    const fence = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/.exec(content);
    if (open !== null) {
      if (fence?.[1]?.startsWith(open.fence) === true && fence[2] === '') {
        blocks.push({
          language: open.language,
          text: open.body.join('\n'),
          line: open.line,
          marker: open.marker,
        });
        open = null;
      } else open.body.push(content);
      return;
    }
    if (fence !== null) {
      open = { fence: fence[1] ?? '', language: fence[2] ?? '', line, marker, body: [] };
      marker = null;
      return;
    }
    const comment = /^<!--\s*(.*?)\s*-->\s*$/.exec(content)?.[1];
    if (comment?.startsWith('page: ') === true) remarks.push(comment.slice('page: '.length));
    if (content.trim() !== '') marker = comment ?? null;
    const heading = /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(content)?.[2];
    if (heading !== undefined) slugs.push(slugOf(heading, slugs));
    links.push(...linksOf(content, line));
  });
  return { path, text, blocks, links, anchors: new Set(slugs), remarks };
}

function linksOf(content: string, line: number): Link[] {
  const prose = content.replaceAll(/(`+)(?:(?!\1).)*?\1/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const defined = [...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$/g)];
  return [...inline, ...defined].map(([, target = '']) => ({ target, line }));
}

/** The anchor that GitHub gives a heading: letters, digits, `-` and `_`, and a number behind a repeated one. */
function slugOf(heading: string, taken: readonly string[]): string {
  const plain = heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
  if (!taken.includes(plain)) return plain;
  let number = 1;
  while (taken.includes(`${plain}-${number}`)) number += 1;
  return `${plain}-${number}`;
}
