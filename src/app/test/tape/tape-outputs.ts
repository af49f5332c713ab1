import { basename, join, resolve } from 'node:path';
import { defined } from '#base';
import { overwriteInDirectory } from '#config';
import { defaultBackgroundRgb, defaultForegroundRgb, paletteRgb } from '#model';
import { castOf } from '../terminal/test-recording.ts';
import type { TestTerminal } from '../terminal/test-terminal.ts';
import type { OutputFormat, StillFormat } from './commands.ts';
import {
  cellWidthOf,
  defaultSettings,
  type SettingName,
  type Settings,
  sizeSettings,
} from './settings.ts';

interface Output {
  readonly path: string;
  readonly format: OutputFormat;
}

/** Ends each frame of a text, as in VHS. */
const separator = '─'.repeat(80);

/** A frame of a text is taken when nothing has changed for this time, in ms, or after the limit. */
const settledMs = 50;
const settleLimitMs = 500;

/** Those that do not show the typing. */
const still: readonly OutputFormat[] = ['text', 'png', 'html'];

/** Whether a file shows the typing. */
export const isMoving = ({ format }: Output): boolean => !still.includes(format);

/** The files that a tape makes. */
export class TapeOutputs {
  readonly #outputs: readonly Output[];
  readonly #cwd: string;
  readonly #look: TapeLook;
  readonly #frames: string[] = [];

  /** @param cwd paths are relative to it */
  constructor(outputs: readonly Output[], cwd: string, look: TapeLook) {
    this.#outputs = outputs;
    this.#cwd = cwd;
    this.#look = look;
  }

  /** Adds the screen to the texts. */
  async frame(terminal: TestTerminal): Promise<void> {
    if (!this.#outputs.some(({ format }) => format === 'text')) return;
    await terminal.wait({ quietMs: settledMs, timeoutMs: settleLimitMs });
    const { text } = await terminal.screen();
    this.#frames.push([...text, separator, ''].join('\n'));
  }

  /**
   * Writes the files at the end of the tape.
   *
   * @throws VtrError IO_ERROR; PROGRAM_NOT_FOUND for a film without ffmpeg
   */
  async write(terminal: TestTerminal): Promise<void> {
    for (const { path, format } of this.#outputs) {
      if (format === 'text') this.#put(path, this.#frames.join(''));
      else if (format === 'frames') await this.#writeFrames(path, terminal);
      else this.#put(path, await this.#recorded(terminal, format));
    }
  }

  async #recorded(terminal: TestTerminal, format: Exclude<OutputFormat, 'text' | 'frames'>) {
    const recording = terminal.recording.all(this.#look.theme);
    if (format === 'cast') return castOf(recording);
    const { exportRecording } = await import('#app/recordings');
    return exportRecording(recording, format, { ...this.#look, select: '..' });
  }

  async #writeFrames(directory: string, terminal: TestTerminal): Promise<void> {
    const { recordedFrames } = await import('#app/recordings');
    let number = 1;
    for await (const png of recordedFrames(terminal.recording.all(), this.#look)) {
      this.#put(join(directory, `frame-${`${number++}`.padStart(5, '0')}.png`), png);
    }
  }

  /** Writes the screen. @throws VtrError IO_ERROR */
  async screenshot(terminal: TestTerminal, path: string, format: StillFormat): Promise<void> {
    if (format === 'text') {
      const { text } = await terminal.screen();
      return this.#put(path, `${text.join('\n')}\n`);
    }
    const { screenshotOf } = await import('#app/recordings');
    const options = { ...this.#look, format, title: basename(path) };
    this.#put(path, await screenshotOf(await terminal.snapshot(), options));
  }

  /** @throws VtrError IO_ERROR */
  #put(path: string, content: string | Uint8Array): void {
    overwriteInDirectory(resolve(this.#cwd, path), content);
  }
}

/** How the pictures of a tape look, as `exportRecording` takes it. */
export interface TapeLook {
  readonly scale: 1 | 2;
  readonly theme?: TapeTheme;
  readonly surround?: ReturnType<typeof surroundOf>;
  readonly framesPerSecond?: number;
  readonly speed: number;
  /** 0 to 1. */
  readonly loopOffset: number;
}

/** Colours as 0xRRGGBB. */
interface TapeTheme {
  readonly foreground: number;
  readonly background: number;
  readonly cursor: number;
  /** The first 16 entries. */
  readonly palette: readonly number[];
}

/** A cell in pixels, to which lengths of a tape are scaled. */
const cellWidth = 10;

/** Larger letters have cells of 20 by 40 pixels, others 10 by 20. */
const largestSmall = 25;

/** Faster frames are not possible in a GIF. */
const mostFrames = 50;

/** The colours of a theme, in the order of the palette. */
const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const paletteNames = [...names, ...names.map((name) => `bright${name}`)];

export function lookOf(settings: Settings, names: ReadonlySet<SettingName>): TapeLook {
  const theme = themeOf(settings.Theme);
  const isSized = sizeSettings.some((name) => names.has(name)) || settings.BorderRadius > 0;
  return {
    scale: names.has('FontSize') && settings.FontSize > largestSmall ? 2 : 1,
    ...defined({ theme }),
    // A tape that sets nothing about the size has 80 columns, and nothing around them.
    ...(isSized ? { surround: surroundOf(settings, names) } : {}),
    ...(names.has('Framerate')
      ? { framesPerSecond: Math.min(mostFrames, Math.max(1, settings.Framerate)) }
      : {}),
    speed: settings.PlaybackSpeed > 0 ? settings.PlaybackSpeed : 1,
    loopOffset: (((settings.LoopOffset / 100) % 1) + 1) % 1,
  };
}

function surroundOf(settings: Settings, names: ReadonlySet<SettingName>) {
  const { Padding, Margin, MarginFill, WindowBar, WindowBarSize, BorderRadius } = settings;
  const scaled = (pixels: number) => (pixels * cellWidth) / cellWidthOf(settings);
  const color = rgbOf(MarginFill);
  return {
    padding: scaled(Padding),
    margin: MarginFill === '' && names.has('MarginFill') ? 0 : scaled(Margin),
    marginColor: color,
    radius: scaled(BorderRadius),
    bar:
      WindowBar === ''
        ? null
        : {
            height: scaled(WindowBarSize),
            isRings: WindowBar.startsWith('Rings'),
            isRight: WindowBar.endsWith('Right'),
          },
  };
}

/** Returns why settings of a tape have no effect on its pictures, or a smaller one. */
export function ignoredOf(settings: Settings, names: ReadonlySet<SettingName>): string[] {
  const { FontFamily, LetterSpacing, LineHeight, CursorBlink, MarginFill, Theme } = settings;
  const { BorderRadius, Padding } = settings;
  const isFilled = MarginFill === '' || rgbOf(MarginFill) !== null;
  const isThemed = Theme === '' || themeOf(Theme) !== null;
  const is = defaultSettings;
  const reasons: readonly (readonly [ignored: boolean, name: SettingName, reason: string])[] = [
    [FontFamily !== is.FontFamily, 'FontFamily', 'their font is JetBrains Mono'],
    [LetterSpacing !== is.LetterSpacing, 'LetterSpacing', 'it decides the number of columns only'],
    [LineHeight !== is.LineHeight, 'LineHeight', 'it decides the number of rows only'],
    [names.has('CursorBlink') && CursorBlink, 'CursorBlink', 'the cursor does not blink'],
    [!isFilled, 'MarginFill', 'it must be a colour, such as #674EFF'],
    [!isThemed, 'Theme', themeHint(Theme)],
  ];
  const ignored = reasons.flatMap(([isIgnored, name, reason]) =>
    isIgnored ? [`${name} has no effect on pictures: ${reason}`] : [],
  );
  return BorderRadius <= 3 * Padding
    ? ignored
    : [...ignored, 'BorderRadius is drawn as 3 times the Padding, the largest one'];
}

const themeHint = (theme: string): string =>
  theme.startsWith('{')
    ? 'its colours must be #rrggbb'
    : `there is no theme ${theme}; give its colours, such as { "background": "#ffffff" }`;

/** Returns the colours of a theme in JSON, and those of xterm that it does not have; null if it has none. */
function themeOf(json: string): TapeTheme | null {
  if (!json.startsWith('{')) return null;
  const colors = Object.entries(JSON.parse(json) as Record<string, unknown>).flatMap(
    ([name, value]) => (name === 'name' ? [] : [[name.toLowerCase(), rgbOf(value)] as const]),
  );
  if (colors.length === 0 || colors.some(([, color]) => color === null)) return null;
  const numbers = new Map(colors as (readonly [string, number])[]);
  const foreground = numbers.get('foreground') ?? defaultForegroundRgb;
  return {
    foreground,
    background: numbers.get('background') ?? defaultBackgroundRgb,
    cursor: numbers.get('cursor') ?? foreground,
    palette: paletteNames.map((name, at) => numbers.get(name) ?? paletteRgb(at)),
  };
}

/** Returns null for what is not `#rrggbb` or `#rgb`. */
function rgbOf(value: unknown): number | null {
  const [, digits = ''] =
    typeof value === 'string' ? (/^#([\da-f]{6}|[\da-f]{3})$/i.exec(value) ?? []) : [];
  if (digits === '') return null;
  return Number.parseInt(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits, 16);
}
