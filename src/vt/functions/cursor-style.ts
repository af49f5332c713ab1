import type { Modes } from '../state/modes.ts';

const shapes = ['block', 'underline', 'bar'] as const;

/** DECSCUSR: 1 and 2 are a block, 3 and 4 an underline, 5 and 6 a bar. Odd numbers and 0 blink. */
export function setCursorStyle(modes: Modes, style: number): void {
  if (style > 6) return;
  modes.cursorShape = shapes[Math.max(0, (style - 1) >> 1)];
  modes.cursorBlinking = style === 0 || style % 2 === 1;
}

/** Returns the number that sets the current style, 1..6. */
export function cursorStyle({ cursorShape, cursorBlinking }: Modes): number {
  return shapes.indexOf(cursorShape) * 2 + (cursorBlinking ? 1 : 2);
}
