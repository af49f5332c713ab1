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
  surrounded,
  surroundedFilm,
} from '../index.ts';

const colors = pictureColors();
const cell = fc.record({
  text: fc.constantFrom(...'aZ ', '┼', '█', '░', '\ue0b0', '⣿', 'é', '①'),
  fg: fc.constantFrom(null, 1, 46, '#807060' as const),
  bg: fc.constantFrom(null, 4, 200, '#102030' as const),
  italic: fc.boolean(),
});
const row = fc.array(cell, { minLength: 6, maxLength: 6 }).map((cells) =>
  cells.map(({ text, ...style }): Cell => {
    return { text, width: 1, style: { ...plainStyle, ...style } };
  }),
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

test('characters that show nothing of their own are not drawn', () => {
  const drawn = (text: string) => {
    const rows = [[{ text, width: 1 as const, style: plainStyle }]];
    return drawPicture({ size: { cols: 1, rows: 1 }, rows, cursor: null, colors }).pixels;
  };
  // Variation selectors, and a combining grapheme joiner: the font has boxes with their names.
  for (const mark of ['\ufe0e', '\ufe0f', '\u034f', '\u{e0100}']) {
    expect(isEqual(drawn(`\u2764${mark}`), drawn('\u2764'))).toBe(true);
  }
  expect(isEqual(drawn('\u2764\u20dd'), drawn('\u2764'))).toBe(false);
});

test('an animation shows each picture as if it was drawn alone', async () => {
  await fc.assert(
    fc.asyncProperty(pictures, async (list) => {
      const timed = list.map((each, at) => ({ atMs: at * 100, picture: each }));
      const frames = [...film(timed, { size: { cols: 6, rows: 3 }, lastMs: 300 })];
      const [gif, apng] = [new GifEncoder(), new ApngEncoder()];
      for (const frame of frames) {
        gif.add(frame);
        await apng.add(frame);
      }
      const shown = decodeGif(await gif.end());
      expect(shown.delays.reduce((sum, each) => sum + each, 0)).toBe((list.length - 1) * 100 + 300);
      const drawn = list.map((each) => drawPicture(each).pixels);
      const changed = drawn.filter((each, at) => at === 0 || !isEqual(each, drawn[at - 1]));
      for (const decoded of [shown.frames, decodePng(await apng.end())]) {
        expect(decoded.length).toBe(changed.length);
        // Much faster than an equality that can print what differs.
        expect(changed.map((each, at) => isEqual(each, decoded[at]?.pixels))).not.toContain(false);
      }
    }),
    { numRuns: 30 },
  );
});

test('an animation with a surround shows each picture with it', async () => {
  const surround = fc.record({
    padding: fc.nat(12),
    margin: fc.nat(9),
    radius: fc.nat(20),
    marginColor: fc.constantFrom(null, 0x674eff),
    bar: fc.constantFrom(null, { height: 20, isRings: true, isRight: false }),
  });
  await fc.assert(
    fc.asyncProperty(
      pictures,
      surround,
      fc.constantFrom(1 as const, 2 as const),
      async (list, around, scale) => {
        const timed = list.map((each, at) => ({ atMs: at * 100, picture: each }));
        const frames = film(timed, { size: { cols: 6, rows: 3 }, scale, lastMs: 300 });
        const apng = new ApngEncoder();
        for (const frame of surroundedFilm(frames, around, colors, scale)) await apng.add(frame);
        const drawn = list.map((each) => {
          return surrounded(drawPicture(each, scale), around, colors, scale).pixels;
        });
        const changed = drawn.filter((each, at) => at === 0 || !isEqual(each, drawn[at - 1]));
        const decoded = decodePng(await apng.end());
        expect(changed.map((each, at) => isEqual(each, decoded[at]?.pixels))).not.toContain(false);
        expect(decoded.length).toBe(changed.length);
      },
    ),
    { numRuns: 15 },
  );
});

const isEqual = (a: Int32Array, b: Int32Array | undefined): boolean =>
  b !== undefined && a.every((each, at) => each === b[at]);

test('an APNG has a palette until a frame has too many colours for it', async () => {
  const [cols, few] = [300, 200];
  const line = (from: number, colors: number) =>
    Int32Array.from({ length: cols }, (_, at) => from + (at % colors) * 1000);
  const lines = [line(0, few), line(0, few), line(5, few), line(7, few), line(0, cols)];
  const apng = new ApngEncoder();
  for (const pixels of lines) {
    await apng.add({ pixels: { width: cols, height: 1, pixels }, x: 0, y: 0, durationMs: 10 });
  }
  expect(decodePng(await apng.end()).map(({ pixels }) => pixels)).toEqual(lines);
});

test('a frame with more than 256 colours is a GIF with coarser ones', async () => {
  const pixels = Int32Array.from({ length: 1000 }, (_, at) => at * 16_000);
  const gif = new GifEncoder();
  gif.add({ pixels: { width: 100, height: 10, pixels }, x: 0, y: 0, durationMs: 100 });
  const [frame] = decodeGif(await gif.end()).frames;
  frame?.pixels.forEach((color, at) => {
    for (const shift of [16, 8, 0]) {
      const [is, was] = [(color >> shift) & 0xff, ((pixels[at] ?? 0) >> shift) & 0xff];
      expect(Math.abs(is - was)).toBeLessThan(43);
    }
  });
});

test('a picture is shown for its whole time, also if a frame cannot be', async () => {
  const make = (text: string): ScreenPicture => {
    const rows = [[{ text, width: 1 as const, style: plainStyle }]];
    return { size: { cols: 1, rows: 1 }, rows, cursor: null, colors };
  };
  const timed = [
    { atMs: 0, picture: make('a') },
    { atMs: 700_000, picture: make('b') },
  ];
  const frames = [...film(timed, { size: { cols: 1, rows: 1 }, lastMs: 500 })];
  expect(Math.max(...frames.map(({ durationMs }) => durationMs))).toBe(60_000);
  const gif = new GifEncoder();
  for (const frame of frames) gif.add(frame);
  const { delays, frames: shown } = decodeGif(await gif.end());
  expect(delays.reduce((sum, each) => sum + each, 0)).toBe(700_500);
  expect(isEqual(drawPicture(make('a')).pixels, shown.at(-2)?.pixels)).toBe(true);
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
