/** One figure of a line of a plot, and how far it reaches. */
type Mark = {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  /** Which of the plot's series it belongs to, from 0. */
  readonly series: number;
};

export type DotPlot = {
  readonly title: string;
  /** What the plot shows, in words, for those who do not see it. */
  readonly description: string;
  readonly lines: readonly { readonly label: string; readonly marks: readonly Mark[] }[];
  /** What the series are; a single one is not named in the plot. At most two. */
  readonly series: readonly string[];
  /** Of the logarithmic axis, in ascending order: the first and the last are its ends. */
  readonly ticks: readonly number[];
  /** What the axis counts. */
  readonly axis: string;
  /** A line across the plot, such as where a goal is. */
  readonly limit?: { readonly value: number; readonly label: string };
};

const WIDTH = 720;
/** Of a letter on average, and of the space for labels at least. */
const LETTER = 7;
const LABELS_MIN = 120;
const RIGHT = 30;
const LINE_HEIGHT = 30;
const TOP = 58;
const BOTTOM = 44;

/** Both schemes have a ground of their own, so that the plot is readable wherever it is shown. */
const STYLE = [
  'text{font:13px system-ui,sans-serif;fill:#1f2328}',
  '.t{font-size:15px;font-weight:600}',
  '.q{fill:#59636e}',
  '.g{fill:#ffffff}',
  '.r{stroke:#d1d9e0}',
  '.l{stroke:#59636e;stroke-dasharray:4 3}',
  '.a{fill:#0550ae;stroke:#0550ae}',
  '.b{fill:#953800;stroke:#953800}',
  '@media (prefers-color-scheme:dark){',
  'text{fill:#e6edf3}',
  '.q{fill:#9198a1}',
  '.g{fill:#0d1117}',
  '.r{stroke:#3d444d}',
  '.l{stroke:#9198a1}',
  '.a{fill:#79c0ff;stroke:#79c0ff}',
  '.b{fill:#ffa657;stroke:#ffa657}',
  '}',
].join('');

/**
 * A plot as SVG: a dot for each figure on a logarithmic axis, a thin line as far as it reaches. Series differ in shape as well as
 * in colour.
 */
export function dotPlotSvg(plot: DotPlot): string {
  const { title, description, lines, series, ticks, axis, limit } = plot;
  const height = TOP + lines.length * LINE_HEIGHT + BOTTOM;
  const bottom = height - BOTTOM;
  const left = Math.max(LABELS_MIN, ...lines.map(({ label }) => Math.ceil(label.length * LETTER) + 30));
  const x = axisOf(ticks, left);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="g" width="${WIDTH}" height="${height}" rx="6"/>`,
    `<text class="t" x="16" y="26">${escaped(title)}</text>`,
    ...ticks.flatMap((tick) => [
      `<line class="r" x1="${x(tick)}" x2="${x(tick)}" y1="${TOP - 8}" y2="${bottom}"/>`,
      `<text class="q" x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${escaped(tickText(tick))}</text>`,
    ]),
    `<text class="q" x="${WIDTH - RIGHT}" y="${bottom + 36}" text-anchor="end">${escaped(axis)}</text>`,
    ...(series.length > 1 ? series.map((name, index) => legend(name, left + index * 170, index)) : []),
    ...(limit === undefined ? [] : limitLine(x(limit.value), bottom, limit.label)),
    ...lines.flatMap(({ label, marks }, index) => {
      const y = TOP + index * LINE_HEIGHT + LINE_HEIGHT / 2;
      return [
        `<text x="${left - 14}" y="${y + 4}" text-anchor="end">${escaped(label)}</text>`,
        ...marks.flatMap((mark) => markOf(mark, x, y + offsetOf(mark.series, series.length))),
      ];
    }),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

/** Where a value stands. What lies beyond the ends stands on them. */
function axisOf(ticks: readonly number[], left: number): (value: number) => number {
  const first = Math.log(ticks[0] ?? 1);
  const last = Math.log(ticks.at(-1) ?? 10);
  const width = WIDTH - left - RIGHT;
  return (value) => {
    const share = (Math.log(value) - first) / (last - first);
    return Math.round((left + Math.min(1, Math.max(0, share)) * width) * 10) / 10;
  };
}

function markOf({ value, low, high, series }: Mark, x: (value: number) => number, y: number): string[] {
  const kind = series === 0 ? 'a' : 'b';
  const reach =
    low === undefined && high === undefined
      ? []
      : [
          `<line class="${kind}" stroke-width="2" x1="${x(low ?? value)}" x2="${x(high ?? value)}" y1="${y}" y2="${y}"/>`,
        ];
  const at = x(value);
  const dot =
    series === 0
      ? `<circle class="${kind}" cx="${at}" cy="${y}" r="4.5"/>`
      : `<rect class="${kind}" x="${at - 4}" y="${y - 4}" width="8" height="8"/>`;
  return [...reach, dot];
}

function legend(name: string, x: number, index: number): string {
  const shape =
    index === 0
      ? `<circle class="a" cx="${x}" cy="39" r="4.5"/>`
      : `<rect class="b" x="${x - 4}" y="35" width="8" height="8"/>`;
  return `${shape}<text x="${x + 10}" y="43">${escaped(name)}</text>`;
}

function limitLine(at: number, bottom: number, label: string): string[] {
  return [
    `<line class="l" stroke-width="2" x1="${at}" x2="${at}" y1="${TOP - 8}" y2="${bottom}"/>`,
    `<text x="${at}" y="${TOP - 14}" text-anchor="middle">${escaped(label)}</text>`,
  ];
}

/** Two series share a line, one above the other. */
function offsetOf(series: number, count: number): number {
  return count < 2 ? 0 : series === 0 ? -5 : 5;
}

function tickText(tick: number): string {
  return tick.toLocaleString('en');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
