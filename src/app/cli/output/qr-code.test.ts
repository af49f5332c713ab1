import jsqr from 'jsqr';
import { describe, expect, it } from 'vitest';
import { qrText } from './qr-code.ts';

// A module of CommonJS, whose types are those of a module of ES.
const decode = jsqr as unknown as typeof jsqr.default;

/** The width of a module, in pixels. */
const scale = 4;

/** Draws the blocks of a code. @param inkIsLight whether blocks are lighter than what is between them */
function pictured(lines: readonly string[], inkIsLight: boolean) {
  const [width, height] = [(lines[0]?.length ?? 0) * scale, lines.length * 2 * scale];
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at++) {
    const [row, col] = [Math.floor(at / width / scale), Math.floor((at % width) / scale)];
    const drawn = lines[row >> 1]?.[col];
    const isInk = drawn === '█' || drawn === (row % 2 === 0 ? '▀' : '▄');
    if (isInk !== inkIsLight) pixels.fill(0, at * 4, at * 4 + 3);
  }
  return { pixels, width, height };
}

const link = 'http://127.0.0.1:7681/#t=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';

describe('a QR code in a terminal', () => {
  it.each([
    ['with colours, which are black on white everywhere', true],
    ['without colours, on a dark background', false],
  ])('is read %s', (_what, hasColors) => {
    const text = qrText(link, { hasColors });
    const lines = text.trimEnd().split('\n');
    const inks = lines.map((line) => /^\x1b\[38;5;16;48;5;231m(.*)\x1b\[m$/.exec(line)?.[1]);
    const blocks = hasColors ? inks.map((line) => line ?? '') : lines;
    const { pixels, width, height } = pictured(blocks, !hasColors);
    const code = decode(pixels, width, height, { inversionAttempts: 'dontInvert' });
    expect(code?.data).toBe(link);
  });

  it('fits into 80 columns and 24 rows', () => {
    const lines = qrText(link, { hasColors: false }).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(lines[0]?.length).toBeLessThanOrEqual(80);
  });
});
