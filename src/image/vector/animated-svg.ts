import type { Size } from '#model';
import { cellHeight, type PictureColors, type ScreenPicture } from '../screen-picture.ts';
import type { Surround } from '../surround/surround.ts';
import { paced, type TimedPicture } from '../timed-pictures.ts';
import { rowMarkup } from './row-markup.ts';
import { svgDocument } from './svg.ts';

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
