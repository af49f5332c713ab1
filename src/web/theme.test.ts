import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The variables of each theme: the first block of the style sheet is dark, the second one light. */
const [dark, light] = [
  ...readFileSync(new URL('./page/themes.css', import.meta.url), 'utf8').matchAll(
    /:root(?:\[data-theme=.light.\])? \{([^}]*)\}/g,
  ),
].map(([, block = '']) =>
  Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, color]) => [name, color]),
  ),
) as [Record<string, string>, Record<string, string>];

/** The relative luminance of a colour. WCAG 2.2, definitions. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** WCAG 2.2, 1.4.3, level AA. */
const leastForText = 4.5;

describe.each([
  ['dark', dark, 'c0'],
  ['light', light, 'c15'],
])('[S3.32] the %s theme', (_name, theme, background) => {
  const pairs = [
    ...['front', 'soft', 'accent', 'warn', 'bad'].flatMap((text) => [
      [text, 'back'],
      [text, 'panel'],
    ]),
    ['on-accent', 'accent'],
    ['back', 'front'],
    // That colour is a background in programs.
    ...Array.from({ length: 16 }, (_, index) => [`c${index}`, 'back']).filter(
      ([text]) => text !== background,
    ),
  ];

  it.each(pairs)('shows %s on %s with enough contrast', (text, back) => {
    const colors = [theme[text as string], theme[back as string]] as [string, string];
    expect(contrast(...colors)).toBeGreaterThanOrEqual(leastForText);
  });
});
