import type { Size } from '#model';

/** The settings of a tape by name, with their defaults in VHS. Those of sizes are in pixels. */
export interface Settings {
  readonly Shell: string;
  readonly FontFamily: string;
  readonly FontSize: number;
  readonly LetterSpacing: number;
  readonly LineHeight: number;
  readonly Width: number;
  readonly Height: number;
  /** The size of the screen itself; 0: that of Width and Height. */
  readonly Columns: number;
  readonly Rows: number;
  readonly Padding: number;
  readonly Margin: number;
  readonly MarginFill: string;
  readonly WindowBar: string;
  readonly WindowBarSize: number;
  readonly BorderRadius: number;
  /** JSON, or the name of a theme. */
  readonly Theme: string;
  readonly Framerate: number;
  readonly PlaybackSpeed: number;
  /** In percent. */
  readonly LoopOffset: number;
  readonly CursorBlink: boolean;
  /** In ms. */
  readonly TypingSpeed: number;
  /** In ms. */
  readonly WaitTimeout: number;
  /** RE2. */
  readonly WaitPattern: string;
}

export type SettingName = keyof Settings;

export type Setting = {
  readonly [Name in SettingName]: { readonly name: Name; readonly value: Settings[Name] };
}[SettingName];

export const defaultSettings: Settings = {
  Shell: 'bash',
  FontFamily: 'JetBrains Mono',
  FontSize: 22,
  LetterSpacing: 1,
  LineHeight: 1,
  Width: 1200,
  Height: 600,
  Columns: 0,
  Rows: 0,
  Padding: 60,
  Margin: 0,
  MarginFill: '',
  WindowBar: '',
  WindowBarSize: 30,
  BorderRadius: 0,
  Theme: '',
  Framerate: 50,
  PlaybackSpeed: 1,
  LoopOffset: 0,
  CursorBlink: true,
  TypingSpeed: 50,
  WaitTimeout: 15_000,
  WaitPattern: '>$',
};

/** How the value of a setting is written. */
export type ValueKind =
  | 'text'
  | 'whole number'
  | 'number'
  | 'percentage'
  | 'time'
  | 'regular expression'
  | 'boolean';

export const settingKinds: Readonly<Record<SettingName, ValueKind>> = {
  Shell: 'text',
  FontFamily: 'text',
  FontSize: 'whole number',
  LetterSpacing: 'number',
  LineHeight: 'number',
  Width: 'whole number',
  Height: 'whole number',
  Columns: 'whole number',
  Rows: 'whole number',
  Padding: 'whole number',
  Margin: 'whole number',
  MarginFill: 'text',
  WindowBar: 'text',
  WindowBarSize: 'whole number',
  BorderRadius: 'whole number',
  Theme: 'text',
  Framerate: 'whole number',
  PlaybackSpeed: 'number',
  LoopOffset: 'percentage',
  CursorBlink: 'boolean',
  TypingSpeed: 'time',
  WaitTimeout: 'time',
  WaitPattern: 'regular expression',
};

export const windowBars = ['Colorful', 'ColorfulRight', 'Rings', 'RingsRight'];

/** Settings that may follow other commands; VHS allows only the first. */
export const lateSettings: readonly SettingName[] = ['TypingSpeed', 'WaitTimeout', 'WaitPattern'];

/** Settings that decide the size of the screen. */
export const sizeSettings: readonly SettingName[] = [
  'Width',
  'Height',
  'FontSize',
  'LetterSpacing',
  'LineHeight',
  'Padding',
  'Margin',
  'WindowBar',
];

/** The advance of JetBrains Mono, and its ascent and descent, by the font size. */
const advance = 0.6;
const fontHeight = 1.32;
/** The padding of ttyd's page on both sides, and the room that xterm.js keeps for its scroll bar. */
const pagePadding = 10;
const scrollBar = 15;

/**
 * Returns the size of the screen as VHS has it, or 80x24 for a tape that sets nothing about it.
 *
 * @returns null if nothing is left of the width or the height
 */
export function sizeOf(settings: Settings, names: ReadonlySet<SettingName>): Size | null {
  const size = sizeInVhs(settings, names);
  const { Columns, Rows } = settings;
  if (size === null) return Columns > 0 && Rows > 0 ? { cols: Columns, rows: Rows } : null;
  return { cols: Columns || size.cols, rows: Rows || size.rows };
}

function sizeInVhs(settings: Settings, names: ReadonlySet<SettingName>): Size | null {
  if (!sizeSettings.some((name) => names.has(name))) return { cols: 80, rows: 24 };
  const { FontSize, LineHeight, WindowBar, WindowBarSize } = settings;
  const margin = settings.MarginFill === '' && names.has('MarginFill') ? 0 : settings.Margin;
  const around = 2 * (settings.Padding + margin);
  const bar = WindowBar === '' ? 0 : WindowBarSize;
  const cellHeight = Math.max(1, Math.floor(Math.ceil(FontSize * fontHeight) * LineHeight));
  const width = settings.Width - around;
  const height = settings.Height - around - bar;
  if (width <= 0 || height <= 0) return null;
  // The least size of xterm.js is 2x1.
  const cols = Math.max(2, Math.floor((width - pagePadding - scrollBar) / cellWidthOf(settings)));
  const rows = Math.max(1, Math.floor((height - pagePadding) / cellHeight));
  return { cols, rows };
}

/** Returns the width of a cell in VHS, in pixels. */
export const cellWidthOf = ({ FontSize, LetterSpacing }: Settings): number =>
  Math.max(1, Math.floor(FontSize * advance) + Math.round(LetterSpacing));
