import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { root } from '../../../scripts/root.mjs';

const goldens = join(root, 'test/golden/page');
/** What differs from its golden is left here. */
const differences = join(root, 'build/page');
const isRecorded = process.env['VTR_RECORD_PAGE'] === '1';

/** The share of the pixels of half a picture that may differ: letters have other edges in other versions of a browser. */
const limit = 0.001;

/**
 * Text of the system's fonts, times and the names of machines differ from machine to machine. Nothing blinks or moves.
 */
const steady = `
  * { font-family: "vtr mono" !important; caret-color: transparent !important; }
  *, ::before, ::after { animation: none !important; transition: none !important; }
  .header h1, time, .track, .at, .command-more small { visibility: hidden; }
  time.age, .ended .how .soft, .time :is(output, time) { display: none; }`;

/** Makes a page look the same on every machine. */
export async function steadied(page: Page): Promise<void> {
  // The policy of the page allows no element for it.
  await page.evaluate(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(steady)});
    document.adoptedStyleSheets.push(sheet);
  }`);
}

/** A picture is taken again until it is as its golden, or until this time has passed. */
const restMs = 15_000;

/** Takes pictures until two are the same, after what is pending has been drawn. */
async function steadyPicture(page: Page): Promise<Buffer> {
  let picture = await page.screenshot();
  for (let tries = 0; tries < 50; tries++) {
    await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve, { timeout: 300 }))');
    const next = await page.screenshot();
    if (next.equals(picture)) return next;
    picture = next;
  }
  throw new Error('the page does not come to rest');
}

/**
 * Expects a page to look as the golden `NAME.png`, which is half as wide and high. With `VTR_RECORD_PAGE=1`, it writes
 * the golden instead. Otherwise `NAME.actual.png` and `NAME.difference.png` are left in `build/page` if they differ.
 *
 * @param canvas a blank page of the browser, in which pictures are compared
 */
export async function expectPicture(page: Page, canvas: Page, name: string): Promise<void> {
  const file = join(goldens, `${name}.png`);
  const golden = isRecorded || !existsSync(file) ? null : readFileSync(file).toString('base64');
  const compare = async (): Promise<Compared> => {
    const actual = (await steadyPicture(page)).toString('base64');
    const words = [actual, golden].map((each) => JSON.stringify(each)).join(', ');
    return (await canvas.evaluate(`(${compared})(${words})`)) as Compared;
  };
  if (isRecorded) {
    const { half } = await compare();
    mkdirSync(goldens, { recursive: true });
    writeFileSync(file, Buffer.from(half, 'base64'));
    return;
  }
  const until = performance.now() + restMs;
  let result = await compare();
  // On a busy machine, what is drawn last can come long after what was drawn before.
  while (result.share > limit && performance.now() < until) result = await compare();
  if (result.share <= limit) return;
  mkdirSync(differences, { recursive: true });
  const left = (kind: string, base64: string) => {
    const path = join(differences, `${name}.${kind}.png`);
    writeFileSync(path, Buffer.from(base64, 'base64'));
    return path;
  };
  const paths = [left('actual', result.half), left('difference', result.difference)];
  expect.fail(
    `${(result.share * 100).toFixed(2)} % of the page differ from ${file}: see ${paths.join(', ')}.` +
      ' If the page is right: VTR_RECORD_PAGE=1 npx vitest run test/e2e/web-pictures.test.ts',
  );
}

interface Compared {
  /** The picture at half the size, as PNG in base64, and where it differs from the golden. */
  readonly half: string;
  readonly difference: string;
  /** Of the pixels, from 0 to 1; 1 if the sizes differ or there is no golden. */
  readonly share: number;
}

/** Runs in the browser. A pixel of the half picture is the mean of four, so that edges of letters count less. */
const compared = `async (actual, golden) => {
  const read = async (base64) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + base64;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const write = async (pixels) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [pixels.width, pixels.height];
    canvas.getContext('2d').putImageData(pixels, 0, 0);
    return canvas.toDataURL('image/png').split(',')[1];
  };
  const whole = await read(actual);
  const half = new ImageData(whole.width >> 1, whole.height >> 1);
  for (let y = 0; y < half.height; y++) {
    for (let x = 0; x < half.width; x++) {
      const to = (y * half.width + x) * 4;
      const from = (2 * y * whole.width + 2 * x) * 4;
      const below = from + whole.width * 4;
      for (let c = 0; c < 4; c++) {
        const { data } = whole;
        const sum = data[from + c] + data[from + 4 + c] + data[below + c] + data[below + 4 + c];
        // Fewer colours make smaller files.
        half.data[to + c] = c === 3 ? 255 : Math.min(255, Math.round(sum / 4 / 8) * 8);
      }
    }
  }
  const result = { half: await write(half), difference: '', share: 1 };
  if (golden === null) return { ...result, difference: result.half };
  const wanted = await read(golden);
  if (wanted.width !== half.width || wanted.height !== half.height)
    return { ...result, difference: await write(wanted) };
  const difference = new ImageData(half.width, half.height);
  let count = 0;
  for (let at = 0; at < half.data.length; at += 4) {
    const by = Math.max(...[0, 1, 2].map((c) => Math.abs(half.data[at + c] - wanted.data[at + c])));
    const differs = by > 40;
    if (differs) count++;
    for (let c = 0; c < 3; c++)
      difference.data[at + c] = differs ? [255, 0, 80][c] : 255 - (255 - wanted.data[at + c]) / 4;
    difference.data[at + 3] = 255;
  }
  return { ...result, difference: await write(difference), share: count / (half.data.length / 4) };
}`;
