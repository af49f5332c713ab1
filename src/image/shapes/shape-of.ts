import { block, braille, sextant } from './blocks.ts';
import { boxDrawing } from './box-drawing.ts';
import type { Box, Shape } from './polygons.ts';
import { powerline } from './powerline.ts';

/** No character before it has a shape. */
export const firstShape = 0x2500;

/** Returns how a character is drawn; null if it is taken from a font, as those with marks on them are. */
export function shapeOf(text: string, box: Box): Shape | null {
  const point = text.codePointAt(0) ?? 0;
  if (point < firstShape || text.length > (point > 0xffff ? 2 : 1)) return null;
  if (point <= 0x257f) return boxDrawing(point - 0x2500, box);
  if (point <= 0x259f) return block(point - 0x2580, box);
  if (point >= 0x2800 && point <= 0x28ff) return braille(point - 0x2800, box);
  if (point >= 0xe0b0 && point <= 0xe0bf) return powerline(point - 0xe0b0, box);
  if (point >= 0x1fb00 && point <= 0x1fb3b) return sextant(point - 0x1fb00, box);
  return null;
}
