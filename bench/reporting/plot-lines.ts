import type { LinePlot } from './plot.ts';
import { at, colorOf, label, legend, legendHeight, rule, width } from './svg.ts';

const [left, right, top, plotHeight] = [58, 24, 40, 320];

/** Exponents of ten that include all values. */
function decades(values: readonly number[]): [number, number] {
  const first = Math.floor(Math.log10(Math.min(...values)));
  return [first, Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))))];
}

const tick = (exponent: number): string =>
  exponent < 0 ? (10 ** exponent).toFixed(-exponent) : (10 ** exponent).toLocaleString('en');

export function linesOf({ series, axis }: LinePlot): { body: string[]; height: number } {
  const points = series.flatMap((each) => each.points);
  const [x0, x1] = decades(points.map(([value]) => value));
  const [y0, y1] = decades(points.map(([, value]) => value));
  const bottom = top + plotHeight;
  const x = (exponent: number) => left + ((exponent - x0) / (x1 - x0)) * (width - left - right);
  const y = (exponent: number) => bottom - ((exponent - y0) / (y1 - y0)) * plotHeight;
  const body: string[] = [];
  for (let each = x0; each <= x1; each++) {
    body.push(
      rule(x(each), top, x(each), bottom),
      label(x(each), bottom + 16, tick(each), 'middle'),
    );
  }
  for (let each = y0; each <= y1; each++) {
    body.push(rule(left, y(each), width - right, y(each)));
    body.push(label(left - 6, y(each) + 4, tick(each), 'end'));
  }
  const end = Math.min(x1, y1);
  const begin = Math.max(x0, y0);
  body.push(rule(x(begin), y(begin), x(end), y(end), 'linear'));
  for (const [index, each] of series.entries()) {
    const places = each.points.map(
      ([count, cost]) => `${at(x(Math.log10(count)))},${at(y(Math.log10(cost)))}`,
    );
    body.push(`<polyline class="line" stroke="${colorOf(index)}" points="${places.join(' ')}"/>`);
  }
  body.push(label(width - right, bottom + 34, `${axis}; dashed: linear`, 'end'));
  const names = series.map(({ name }) => name);
  body.push(...legend(names, bottom + 56));
  return { body, height: bottom + 44 + legendHeight(names.length) };
}
