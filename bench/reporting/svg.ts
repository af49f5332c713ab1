/** The width of all plots, in pixels. */
export const width = 760;

/** Distinct for people who do not see all colours; the first is vtr's in comparisons. */
const colors = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#d55e00',
  '#8c8c8c',
  '#b8a900',
  '#7b3294',
];

export const colorOf = (at: number): string => colors[at % colors.length] ?? '#888888';

const style = `text { font: 12px sans-serif; fill: #24292f; }
.title { font-size: 15px; font-weight: bold; }
.rule { stroke: #888888; stroke-opacity: 0.35; }
.linear { stroke: #888888; stroke-dasharray: 5 4; }
.line { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }`;

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A number with at most one decimal: files stay small, and differ only where the figures do. */
export const at = (value: number): string => String(Math.round(value * 10) / 10);

type Anchor = 'start' | 'middle' | 'end';

export const label = (x: number, y: number, text: string, anchor: Anchor = 'start'): string =>
  `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${escaped(text)}</text>`;

export const rule = (x1: number, y1: number, x2: number, y2: number, name = 'rule'): string =>
  `<line class="${name}" x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"/>`;

/** One line for each name, with its color. */
export function legend(names: readonly string[], y: number): string[] {
  return names.flatMap((name, index) => [
    `<rect x="12" y="${at(y + 18 * index - 9)}" width="14" height="10" fill="${colorOf(index)}"/>`,
    label(32, y + 18 * index, name),
  ]);
}

export const legendHeight = (count: number): number => 18 * count + 12;

/** @param title also for people who cannot see the picture */
export function frame(title: string, height: number, body: readonly string[]): string {
  const size = `width="${width}" height="${at(height)}" viewBox="0 0 ${width} ${at(height)}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n<title>${escaped(title)}</title>\n<style>\n${style}\n</style>`;
  return `${[head, ...body, '</svg>'].join('\n')}\n`;
}
