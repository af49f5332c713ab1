import { expect, it } from 'vitest';
import { paletteRgb } from '#model';

it.each([
  [0, 0x000000],
  [7, 0xe5e5e5],
  [15, 0xffffff],
  [16, 0x000000],
  [21, 0x0000ff],
  [110, 0x87afd7],
  [196, 0xff0000],
  [231, 0xffffff],
  [232, 0x080808],
  [255, 0xeeeeee],
])('converts palette entry %i as xterm does', (index, rgb) => {
  expect(paletteRgb(index)).toBe(rgb);
});
