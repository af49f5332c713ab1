import type { ScreenPicture } from '#image';
import type { SnapshotEvent } from '#model';
import { type Reader, Terminal } from '#vt';
import { type PictureLook, pngOf } from './picture-look.ts';
import { loadImage, TerminalPictures } from './terminal-pictures.ts';

export type ScreenshotFormat = 'svg' | 'png' | 'html';

export interface ScreenshotOptions extends PictureLook {
  readonly format: ScreenshotFormat;
  /** The title of the HTML document. */
  readonly title: string;
}

const scrollback = { maxLines: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

/**
 * Returns a picture of the screen of a session, with the lines above it that the snapshot contains.
 *
 * @throws VtrError INVALID_ARGUMENT if a bitmap would be too large
 */
export async function screenshotOf(
  { size, firstLine, dump }: Pick<SnapshotEvent, 'size' | 'firstLine' | 'dump'>,
  { format, title, ...look }: ScreenshotOptions,
): Promise<string | Uint8Array> {
  const terminal = new Terminal({ size, firstLine, scrollback });
  terminal.feed(dump);
  const image = await loadImage();
  const picture = withLinesAbove(terminal, new TerminalPictures(image, look.theme));
  if (format === 'svg') return image.svgOf(picture, look.surround);
  if (format === 'html') return image.htmlOf(picture, title);
  return pngOf(picture, look, image);
}

function withLinesAbove(terminal: Terminal, pictures: TerminalPictures): ScreenPicture {
  const screen = pictures.of(terminal);
  const count = terminal.scrollbackRows().length;
  if (count === 0) return screen;
  // A line may begin above the screen and continue on it.
  const above = pictures.ofLines(terminal, allLines(terminal)).rows.slice(0, count);
  const { size, cursor } = screen;
  return {
    ...screen,
    size: { ...size, rows: size.rows + count },
    rows: [...above, ...screen.rows],
    cursor: cursor && { ...cursor, row: cursor.row + count },
  };
}

function* allLines(terminal: Terminal): Generator<Reader> {
  for (const { reader } of terminal.readLines(terminal.firstLine, terminal.topLine + 1)) {
    yield reader;
  }
}
