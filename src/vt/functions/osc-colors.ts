import type { TerminalState } from '../state/terminal-state.ts';
import { colorReport, parseColorSpec } from '../style/color.ts';
import { dynamicCount, firstDynamic, paletteSize, specialCount } from '../style/palette.ts';
import { type OscRun, osc } from './osc-function.ts';

/** Maximum number of colours answered per query. */
const maxColors = 512;

/** Sets a colour, or replies to `?` in the form of the query, with the same terminator. */
function apply(t: TerminalState, index: number, spec: string, lead: string, bel: boolean): void {
  if (spec === '?') {
    t.replies.push(`\x1b]${lead};${colorReport(t.palette.get(index))}${bel ? '\x07' : '\x1b\\'}`);
    return;
  }
  const color = parseColorSpec(spec);
  if (color !== null) t.palette.set(index, color);
}

/** Handles `index ; spec` pairs. Indexes are below `count` and are added to `first`. */
function indexed(number: number, first: number, count: number): OscRun {
  return (t, text, { bel }) => {
    const parts = text.split(';', 2 * maxColors);
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const index = indexOf(parts[at], count);
      if (index >= 0) apply(t, first + index, parts[at + 1], `${number};${index}`, bel);
    }
  };
}

/** Handles a list of indexes; empty means all. */
function resetIndexed(first: number, count: number): OscRun {
  return (t, text) => {
    if (text === '') t.palette.resetAll(first, first + count);
    for (const part of text.split(';', maxColors)) {
      const index = indexOf(part, count);
      if (index >= 0) t.palette.reset(first + index);
    }
  };
}

function indexOf(text: string, count: number): number {
  return /^\d{1,3}$/.test(text) && Number(text) < count ? Number(text) : -1;
}

/** Handles a list of specs for this colour and the following ones. */
function dynamic(number: number): OscRun {
  return (t, text, { bel }) => {
    for (const [offset, spec] of text.split(';', dynamicCount).entries()) {
      const index = number - 10 + offset;
      if (index < dynamicCount) apply(t, firstDynamic + index, spec, `${10 + index}`, bel);
    }
  };
}

const resetDynamic =
  (number: number): OscRun =>
  (t) =>
    t.palette.reset(firstDynamic + number - 110);

// biome-ignore format: one line per colour
const dynamicColors = [
  { number: 10, meaning: 'foreground colour' },
  { number: 11, meaning: 'background colour' },
  { number: 12, meaning: 'colour of the cursor' },
  { number: 13, meaning: 'foreground colour of the pointer' },
  { number: 14, meaning: 'background colour of the pointer' },
  { number: 15, meaning: 'foreground colour of the Tektronix window' },
  { number: 16, meaning: 'background colour of the Tektronix window' },
  { number: 17, meaning: 'background colour of the selection' },
  { number: 18, meaning: 'colour of the cursor of the Tektronix window' },
  { number: 19, meaning: 'foreground colour of the selection' },
];

// biome-ignore format: one line per function
export const colorFunctions = [
  osc(4, 'Set or report colours of the palette, followed by the special colours', indexed(4, 0, paletteSize + specialCount)),
  osc(5, 'Set or report special colours: bold, underline, blink, inverse, italic', indexed(5, paletteSize, specialCount)),
  ...dynamicColors.map(({ number, meaning }) => osc(number, `Set or report the ${meaning}`, dynamic(number))),
  osc(104, 'Reset colours of the palette', resetIndexed(0, paletteSize)),
  osc(105, 'Reset special colours', resetIndexed(paletteSize, specialCount)),
  ...dynamicColors.map(({ number, meaning }) => osc(100 + number, `Reset the ${meaning}`, resetDynamic(100 + number))),
];
