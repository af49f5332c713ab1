import { barsOf } from './plot-bars.ts';
import { linesOf } from './plot-lines.ts';
import { escaped, frame } from './svg.ts';

/** Lines over two logarithmic axes, and a dashed diagonal, which linear growth follows. */
export interface LinePlot {
  readonly kind: 'lines';
  /** Names the file. */
  readonly name: string;
  readonly title: string;
  readonly axis: string;
  readonly series: readonly {
    readonly name: string;
    /** Above 0, with growing x. */
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
}

/** Groups of horizontal bars from 0. */
export interface BarPlot {
  readonly kind: 'bars';
  readonly name: string;
  readonly title: string;
  readonly axis: string;
  /** The names of the bars in each group. */
  readonly series: readonly string[];
  readonly groups: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export type Plot = LinePlot | BarPlot;

/** The plot as a document of SVG, readable on a light and on a dark page. */
export function svgOf(plot: Plot): string {
  const { body, height } = plot.kind === 'lines' ? linesOf(plot) : barsOf(plot);
  const title = `<text class="title" x="12" y="22">${escaped(plot.title)}</text>`;
  return frame(plot.title, height, [title, ...body]);
}
