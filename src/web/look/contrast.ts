// Colours are 0xRRGGBB.

/** WCAG 2.2, 1.4.3, level AA. */
const leastContrast = 4.5;
const steps = 32;
/** How many times as bright a colour becomes before it is mixed with white. Of a darker one, nobody sees the hue. */
const mostBrighter = 3;

/**
 * Returns a colour that can be read on another: the same, or as little darker or lighter as needed, with its hue. A
 * lighter one is the brightest of its hue before it becomes pale. Every background can be told from white or from black.
 */
export function legible(front: number, back: number): number {
  if (contrast(front, back) >= leastContrast) return front;
  const isLighter = luminance(front) >= luminance(back);
  const [darker, lighter] = [[0], [brightest(front), 0xffffff]];
  for (const way of isLighter ? [lighter, darker] : [darker, lighter]) {
    let from = front;
    for (const to of way) {
      for (let step = 1; step <= steps; step++) {
        const mixed = mix(from, to, step / steps);
        if (contrast(mixed, back) >= leastContrast) return mixed;
      }
      from = to;
    }
  }
  return front;
}

const channels = (rgb: number): number[] => [16, 8, 0].map((shift) => (rgb >> shift) & 0xff);

/** Returns the brightest colour with the same shares of red, green and blue. */
function brightest(rgb: number): number {
  const factor = Math.min(mostBrighter, 255 / Math.max(1, ...channels(rgb)));
  return channels(rgb).reduce((all, value) => (all << 8) | Math.round(value * factor), 0);
}

/** Returns a colour between two others. @param share of the second one, 0 to 1 */
export const mix = (from: number, to: number, share: number): number => {
  const ends = channels(to);
  return channels(from).reduce(
    (rgb, value, at) => (rgb << 8) | Math.round(value + ((ends[at] ?? 0) - value) * share),
    0,
  );
};

/** The relative luminance of a colour. WCAG 2.2, definitions. */
function luminance(rgb: number): number {
  const [red = 0, green = 0, blue = 0] = channels(rgb).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns how well one colour can be read on another: 1 to 21. WCAG 2.2, definitions. */
export function contrast(one: number, other: number): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}
