import type { Size } from '#model';
import {
  cellHeight,
  cellWidth,
  type PictureColors,
  paced,
  type ScreenPicture,
  type TimedPicture,
} from '../screen-picture.ts';
import { layoutOf, ringWidth, type Surround } from '../surround/surround.ts';
import { fontFamily, fontSize, hex, rowMarkup } from './row-markup.ts';

/** What is around the screen, if nothing else is chosen. */
const plain: Surround = { padding: 10, bar: null, radius: 6, margin: 0, marginColor: null };

/**
 * Returns a picture as SVG. Its text can be selected; the viewer's fonts show it. Boxes and blocks are
 * paths, so that they join with any font.
 */
export function svgOf(
  { size, rows, cursor, colors }: ScreenPicture,
  surround: Surround = plain,
): string {
  const content = rows.map((cells, row) => {
    const shown = cursor?.visible && cursor.row === row ? cursor : null;
    const { drawing, text } = rowMarkup(cells, colors, shown);
    if (drawing === '' && text === '') return '';
    return `<g transform="translate(0 ${row * cellHeight})">${drawing}${text}</g>\n`;
  });
  return svgDocument({ size, colors, surround, content: content.join('') });
}

interface SvgParts extends Pick<ScreenPicture, 'size' | 'colors'> {
  readonly surround?: Surround | undefined;
  /** In the coordinates of the screen. */
  readonly content: string;
  /** Rules of the style sheet. */
  readonly style?: string;
}

function svgDocument({ size, colors, surround = plain, content, style = '' }: SvgParts): string {
  const screen = { width: size.cols * cellWidth, height: size.rows * cellHeight };
  const layout = layoutOf(surround, screen, colors, 1);
  const { width, height } = layout;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n`,
    '<title>A terminal</title>\n',
    `<style>text{white-space:pre;font:${fontSize}px ${fontFamily}}${style}</style>\n`,
    windowMarkup(layout, surround, colors),
    `<g transform="translate(${layout.screen.x} ${layout.screen.y})">\n${content}</g>\n</svg>\n`,
  ].join('');
}

function windowMarkup(
  { width, height, window, buttons }: ReturnType<typeof layoutOf>,
  { margin, marginColor }: Surround,
  { background }: PictureColors,
): string {
  const place = margin === 0 ? '' : `x="${window.x}" y="${window.y}" `;
  const sides = (of: { readonly width: number; readonly height: number }) =>
    `width="${of.width}" height="${of.height}"`;
  // Without a colour of the margin, what is behind the picture is seen.
  const behind =
    marginColor === null ? '' : `<rect ${sides({ width, height })} fill="${hex(marginColor)}"/>\n`;
  const discs = buttons.map(({ centre: { x, y }, radius, color, isRing }) => {
    const thickness = radius * ringWidth;
    const look = isRing
      ? `r="${radius - thickness / 2}" fill="none" stroke="${hex(color)}" stroke-width="${thickness}"`
      : `r="${radius}" fill="${hex(color)}"`;
    return `<circle cx="${x}" cy="${y}" ${look}/>\n`;
  });
  const box = `<rect ${place}${sides(window)} rx="${window.radius}" fill="${hex(background)}"/>\n`;
  return [behind, box, ...discs].join('');
}

/** A row that is shown for some time. */
interface ShownRow {
  readonly row: number;
  /** The number of its content. */
  readonly content: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface AnimatedSvgOptions {
  /** The size of the largest picture. */
  readonly size: Size;
  /** How long the last picture is shown, in ms. */
  readonly lastMs: number;
  readonly surround?: Surround | undefined;
  /** See `paced`. */
  readonly minFrameMs?: number | undefined;
}

/**
 * Returns pictures as an SVG that repeats without end, by style sheet alone. It is smaller the fewer rows
 * change. With reduced motion it shows the last picture.
 *
 * @throws Error if there is no picture
 */
export function animatedSvgOf(
  pictures: Iterable<TimedPicture>,
  { size, lastMs, surround, minFrameMs }: AnimatedSvgOptions,
): string {
  const rows = new ShownRows();
  let colors: PictureColors | null = null;
  let lastAtMs = 0;
  for (const { atMs, picture } of paced(pictures, minFrameMs)) {
    colors = picture.colors;
    lastAtMs = atMs;
    rows.show(picture, atMs);
  }
  if (colors === null) throw new Error('an animation has at least one picture');
  const durationMs = lastAtMs + lastMs;
  const shown = rows.end(durationMs);
  const names = new Map<string, string>();
  const uses = shown.map(({ row, content, fromMs, toMs }) => {
    const place = row === 0 ? '' : ` y="${row * cellHeight}"`;
    if (fromMs === 0 && toMs === durationMs) return `<use href="#r${content}"${place}/>\n`;
    const frames = keyframes(fromMs, toMs, durationMs);
    const name = names.get(frames) ?? `k${names.size}`;
    names.set(frames, name);
    const last = toMs === durationMs ? ' l' : '';
    return `<use href="#r${content}"${place} class="a ${name}${last}"/>\n`;
  });
  const style = [
    `.a{visibility:hidden;animation:0s step-end infinite;animation-duration:${durationMs}ms}`,
    ...[...names].map(
      ([frames, name]) => `@keyframes ${name}{${frames}}.${name}{animation-name:${name}}`,
    ),
    '@media(prefers-reduced-motion:reduce){.a{animation:none}.l{visibility:visible}}',
  ];
  const content = `<defs>\n${rows.contents().join('')}</defs>\n${uses.join('')}`;
  return svgDocument({ size, colors, surround, content, style: style.join('') });
}

function keyframes(fromMs: number, toMs: number, durationMs: number): string {
  const at = (ms: number) => `${Math.round((ms / durationMs) * 100_000) / 1000}%`;
  const before = fromMs === 0 ? '' : '0%{visibility:hidden}';
  const after = toMs === durationMs ? '' : `${at(toMs)}{visibility:hidden}`;
  return `${before}${at(fromMs)}{visibility:visible}${after}`;
}

/** Which rows are shown when. Rows of the same content share it. */
class ShownRows {
  readonly #contents = new Map<string, number>();
  readonly #ended: ShownRow[] = [];
  #shown = new Map<number, Omit<ShownRow, 'toMs'>>();
  #before: ScreenPicture | null = null;

  show(picture: ScreenPicture, atMs: number): void {
    const before = this.#before;
    this.#before = picture;
    for (const [row, cells] of picture.rows.entries()) {
      const cursor = cursorIn(picture, row);
      const isSame =
        before?.colors === picture.colors &&
        before.rows[row] === cells &&
        cursor === null &&
        cursorIn(before, row) === null;
      if (isSame) continue;
      const { drawing, text } = rowMarkup(cells, picture.colors, cursor);
      this.#change(row, `${drawing}${text}`, atMs);
    }
    for (const row of this.#shown.keys()) {
      if (row >= picture.rows.length) this.#change(row, '', atMs);
    }
  }

  end(toMs: number): readonly ShownRow[] {
    for (const each of this.#shown.values()) this.#ended.push({ ...each, toMs });
    this.#shown = new Map();
    return this.#ended.filter(({ fromMs, toMs: end }) => end > fromMs);
  }

  contents(): string[] {
    return [...this.#contents].map(([markup, number]) => `<g id="r${number}">${markup}</g>\n`);
  }

  #change(row: number, markup: string, atMs: number): void {
    const shown = this.#shown.get(row);
    const content = this.#contents.get(markup) ?? this.#contents.size;
    if (shown?.content === content && markup !== '') return;
    if (shown !== undefined) this.#ended.push({ ...shown, toMs: atMs });
    if (markup === '') this.#shown.delete(row);
    else {
      this.#contents.set(markup, content);
      this.#shown.set(row, { row, content, fromMs: atMs });
    }
  }
}

const cursorIn = ({ cursor }: ScreenPicture, row: number) =>
  cursor?.visible && cursor.row === row ? cursor : null;
