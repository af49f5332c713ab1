import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cell, plainStyle } from '#model';
import { decodeGif, decodePng } from '../../../test/support/decoded-pictures.ts';
import {
  ApngEncoder,
  drawPicture,
  encodePng,
  film,
  GifEncoder,
  pictureColors,
  type ScreenPicture,
} from '../index.ts';

const colors = pictureColors();
const cell = fc.record({
  text: fc.constantFrom(...'aZ ', '┼', '█', '░', '\ue0b0', '⣿', 'é'),
  fg: fc.constantFrom(null, 1, 46, '#807060' as const),
  bg: fc.constantFrom(null, 4, 200, '#102030' as const),
});
const row = fc
  .array(cell, { minLength: 6, maxLength: 6 })
  .map((cells) =>
    cells.map(({ text, fg, bg }): Cell => ({ text, width: 1, style: { ...plainStyle, fg, bg } })),
  );
const picture = fc
  .array(row, { minLength: 3, maxLength: 3 })
  .map((rows): ScreenPicture => ({ size: { cols: 6, rows: 3 }, rows, cursor: null, colors }));
/** Pictures in which some rows are the same objects as before. */
const pictures = fc
  .array(fc.tuple(picture, fc.array(fc.boolean(), { minLength: 3, maxLength: 3 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) => {
    let rows: ScreenPicture['rows'] = [];
    return list.map(([next, changes]) => {
      rows = next.rows.map((each, at) => (changes[at] ? each : (rows[at] ?? each)));
      return { ...next, rows };
    });
  });

test('a PNG has the pixels that were drawn', () => {
  fc.assert(
    fc.property(picture, fc.constantFrom(1 as const, 2 as const), (screen, scale) => {
      const bitmap = drawPicture(screen, scale);
      const [decoded] = decodePng(encodePng(bitmap));
      expect(isEqual(bitmap.pixels, decoded?.pixels)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('an animation shows each picture as if it was drawn alone', () => {
  fc.assert(
    fc.property(pictures, (list) => {
      const timed = list.map((each, at) => ({ atMs: at * 100, picture: each }));
      const frames = [...film(timed, { size: { cols: 6, rows: 3 }, lastMs: 300 })];
      const [gif, apng] = [new GifEncoder(), new ApngEncoder()];
      for (const frame of frames) {
        gif.add(frame);
        apng.add(frame);
      }
      const shown = decodeGif(gif.end());
      expect(shown.delays.reduce((sum, each) => sum + each, 0)).toBe((list.length - 1) * 100 + 300);
      const drawn = list.map((each) => drawPicture(each).pixels);
      const changed = drawn.filter((each, at) => at === 0 || !isEqual(each, drawn[at - 1]));
      for (const decoded of [shown.frames, decodePng(apng.end())]) {
        expect(decoded.length).toBe(changed.length);
        // Much faster than an equality that can print what differs.
        expect(changed.map((each, at) => isEqual(each, decoded[at]?.pixels))).not.toContain(false);
      }
    }),
    { numRuns: 30 },
  );
});

const isEqual = (a: Int32Array, b: Int32Array | undefined): boolean =>
  b !== undefined && a.every((each, at) => each === b[at]);

test('a frame with more than 256 colours is a GIF with coarser ones', () => {
  const pixels = Int32Array.from({ length: 1000 }, (_, at) => at * 16_000);
  const gif = new GifEncoder();
  gif.add({ pixels: { width: 100, height: 10, pixels }, x: 0, y: 0, durationMs: 100 });
  const [frame] = decodeGif(gif.end()).frames;
  frame?.pixels.forEach((color, at) => {
    for (const shift of [16, 8, 0]) {
      const [is, was] = [(color >> shift) & 0xff, ((pixels[at] ?? 0) >> shift) & 0xff];
      expect(Math.abs(is - was)).toBeLessThan(43);
    }
  });
});

test('pictures that follow each other within 33 ms are one frame, with the time of the first', () => {
  const make = (text: string): ScreenPicture => {
    const rows = [[{ text, width: 1 as const, style: plainStyle }]];
    return { size: { cols: 1, rows: 1 }, rows, cursor: null, colors };
  };
  const timed = [...'abcd'].map((text, at) => ({ atMs: at * 20, picture: make(text) }));
  const frames = [...film(timed, { size: { cols: 1, rows: 1 }, lastMs: 500 })];
  expect(frames.map(({ durationMs }) => durationMs)).toEqual([40, 500]);
});
