import { encodeUtf8 } from '#base';
import { runsOfCells, type SessionInfo, type Size } from '#model';
import { Terminal } from '#vt';
import type { App } from '../page/app.ts';
import { cellColors, screenColors } from '../terminal/colors.ts';

/** The size of a cell and of its text, in pixels of a picture. */
const cell = { width: 9, height: 18, font: 15, base: 13.5 };
const padding = 12;
/** A picture for people has twice the pixels of its size. */
const scale = 2;
const family = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** A rectangle of a colour, or a text. Places are in pixels. */
type Part =
  | { readonly left: number; readonly top: number; readonly width: number; readonly color: string }
  | {
      readonly left: number;
      readonly base: number;
      readonly width: number;
      readonly color: string;
      readonly text: string;
      readonly bold: boolean;
      readonly italic: boolean;
      readonly dim: boolean;
    };

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly back: string;
  readonly parts: readonly Part[];
}

/** Saves a picture of a session's screen as it is now, in the colours of the page. */
export async function downloadPicture(
  app: App,
  { name, id: sessionId }: SessionInfo,
  format: 'PNG' | 'SVG',
): Promise<void> {
  const how = { format: 'RENDER_FORMAT_ANSI', redact: false } as const;
  const {
    text = [],
    cols = 80,
    rows = 24,
  } = await app.link.call('GetScreen', {
    name,
    sessionId,
    ...how,
  });
  const terminal = new Terminal({ size: { cols, rows }, scrollback: { maxLines: 0, maxBytes: 0 } });
  terminal.feed(encodeUtf8(text.join('\r\n')));
  const picture = pictureOf(terminal, { cols, rows });
  const blob =
    format === 'SVG' ? new Blob([svgOf(picture)], { type: 'image/svg+xml' }) : await pngOf(picture);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${name}.${format.toLowerCase()}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function pictureOf(terminal: Terminal, { cols, rows }: Size): Picture {
  const modes = terminal.viewModes;
  const theme = getComputedStyle(document.documentElement);
  const resolved = (color: string) => {
    const variable = /^var\((--\w+)\)$/.exec(color)?.[1];
    return variable === undefined ? color : theme.getPropertyValue(variable).trim();
  };
  const screen = screenColors(modes);
  const parts = terminal.screenCells(null).rows.flatMap((row, at) => {
    const top = padding + at * cell.height;
    let col = 0;
    return runsOfCells(row).flatMap(({ text, cols: width, style }) => {
      const { front, back } = cellColors(style, modes, text);
      const place = { left: padding + col * cell.width, width: width * cell.width };
      col += width;
      const own: Part[] = [];
      if (back !== null) own.push({ ...place, top, color: resolved(back) });
      if (style.hidden || text.trim() === '') return own;
      const { bold, italic, dim } = style;
      const color = resolved(front ?? screen.front ?? 'var(--front)');
      own.push({ ...place, base: top + cell.base, color, text, bold, italic, dim });
      return own;
    });
  });
  return {
    width: cols * cell.width + 2 * padding,
    height: rows * cell.height + 2 * padding,
    back: resolved(screen.back ?? 'var(--back)'),
    parts,
  };
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function svgOf({ width, height, back, parts }: Picture): string {
  const shapes = parts.map((part) => {
    if (!('text' in part)) {
      const { left, top, width: wide, color } = part;
      return `<rect x="${left}" y="${top}" width="${wide}" height="${cell.height}" fill="${color}"/>`;
    }
    const { left, base, width: wide, color, text, bold, italic, dim } = part;
    const look = `${bold ? ' font-weight="bold"' : ''}${italic ? ' font-style="italic"' : ''}${dim ? ' opacity="0.6"' : ''}`;
    return `<text x="${left}" y="${base}" textLength="${wide}" lengthAdjust="spacingAndGlyphs" fill="${color}"${look}>${escaped(text)}</text>`;
  });
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escaped(family)}" font-size="${cell.font}" xml:space="preserve"><rect width="100%" height="100%" fill="${back}"/>${shapes.join('')}</svg>\n`;
}

async function pngOf({ width, height, back, parts }: Picture): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser cannot make pictures');
  context.scale(scale, scale);
  context.fillStyle = back;
  context.fillRect(0, 0, width, height);
  for (const part of parts) {
    context.fillStyle = part.color;
    if (!('text' in part)) {
      context.fillRect(part.left, part.top, part.width, cell.height);
      continue;
    }
    const { text, bold, italic, dim } = part;
    context.font = `${italic ? 'italic ' : ''}${bold ? 'bold ' : ''}${cell.font}px ${family}`;
    context.globalAlpha = dim ? 0.6 : 1;
    // Each run takes its cells, whatever the font says.
    const count = [...text].length;
    context.letterSpacing = '0px';
    const natural = context.measureText(text).width;
    context.letterSpacing = `${(part.width - natural) / Math.max(1, count)}px`;
    context.fillText(text, part.left, part.base);
    context.globalAlpha = 1;
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) =>
      blob === null ? reject(new Error('The browser cannot make pictures')) : resolve(blob),
    ),
  );
}
