import type { BarPlot } from './plot.ts';
import { at, colorOf, label, legend, legendHeight, rule, width } from './svg.ts';

const [left, right, top, barHeight, gap] = [150, 60, 40, 12, 8];
const ticks = 5;

/** A round step of the axis: 1, 2 or 5 times a power of ten. */
function step(most: number): number {
  const rough = most / ticks;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
}

export function barsOf({ series, groups, axis }: BarPlot): { body: string[]; height: number } {
  const most = Math.max(...groups.flatMap(({ values }) => values));
  const each = step(most);
  const last = Math.ceil(most / each) * each;
  const x = (value: number) => left + (value / last) * (width - left - right);
  const groupHeight = series.length * barHeight + gap;
  const bottom = top + groups.length * groupHeight;
  const body: string[] = [];
  for (let value = 0; value <= last; value += each) {
    body.push(rule(x(value), top - 4, x(value), bottom));
    body.push(label(x(value), bottom + 16, value.toLocaleString('en'), 'middle'));
  }
  for (const [index, { name, values }] of groups.entries()) {
    const y = top + index * groupHeight;
    body.push(label(left - 8, y + (groupHeight - gap) / 2 + 4, name, 'end'));
    for (const [bar, value] of values.entries()) {
      const place = `x="${left}" y="${at(y + bar * barHeight)}" width="${at(x(value) - left)}"`;
      body.push(`<rect ${place} height="${barHeight - 1}" fill="${colorOf(bar)}"/>`);
    }
  }
  body.push(label(width - right, bottom + 34, axis, 'end'));
  body.push(...legend(series, bottom + 56));
  return { body, height: bottom + 44 + legendHeight(series.length) };
}
