import { signal } from '@preact/signals';

/** How a person wants the page to look and to act, in this browser. */
export interface Settings {
  /** `auto` follows the system; else the name of a theme. */
  readonly theme: string;
  /** The person's own theme, as the text that was imported; empty for none. */
  readonly scheme: string;
  /** The font of terminals; empty for that of the page. */
  readonly font: string;
  /** In CSS pixels. */
  readonly fontSize: number;
  /** The height of a row, in sizes of the font. */
  readonly lineHeight: number;
  /** Whether characters such as `=>` are drawn as one sign, where the font has it. */
  readonly ligatures: boolean;
  /** A row of the key bar: words that are typed or keys that are pressed, between blanks. */
  readonly keys: string;
  /** Whether the page asks before a paste of several lines. */
  readonly asksBeforePaste: boolean;
  /** When what is typed is shown before its echo: `auto` where that takes long. */
  readonly predict: (typeof predictModes)[number];
}

export const predictModes = ['auto', 'always', 'never'] as const;

export const defaults: Settings = {
  theme: 'auto',
  scheme: '',
  font: '',
  fontSize: 14,
  lineHeight: 1.25,
  ligatures: false,
  keys: '',
  asksBeforePaste: true,
  predict: 'auto',
};

/** The smallest and the largest value of numbers. */
export const bounds = { fontSize: [8, 32], lineHeight: [1, 2] } as const;

const place = 'vtr.settings';
const maxText = 20_000;

/** Returns settings from what was kept; what is missing or wrong is as by default. */
export function settingsOf(text: string | null): Settings {
  let read: Record<string, unknown> = {};
  try {
    read = Object(JSON.parse(text ?? '{}'));
  } catch {
    // Somebody else wrote it.
  }
  const textOf = (name: 'theme' | 'scheme' | 'font' | 'keys') => {
    const value = read[name];
    return typeof value === 'string' && value.length <= maxText ? value : defaults[name];
  };
  const number = (name: keyof typeof bounds) => {
    const value = read[name];
    const [least, most] = bounds[name];
    const isGood = typeof value === 'number' && Number.isFinite(value);
    return isGood ? Math.min(most, Math.max(least, value)) : defaults[name];
  };
  return {
    theme: textOf('theme'),
    scheme: textOf('scheme'),
    font: textOf('font'),
    fontSize: number('fontSize'),
    lineHeight: number('lineHeight'),
    ligatures: read['ligatures'] === true,
    keys: textOf('keys'),
    asksBeforePaste: read['asksBeforePaste'] !== false,
    predict: predictModes.find((mode) => mode === read['predict']) ?? defaults.predict,
  };
}

/** A browser may forbid the page to keep anything. */
function keptText(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

export const settings = signal<Settings>(settingsOf(keptText()));

/** The colour scheme of the configuration, for who has chosen no theme; empty for none. */
export const configured = signal('');

/** Changes settings, which last. */
export function changeSettings(part: Partial<Settings>): void {
  settings.value = settingsOf(JSON.stringify({ ...settings.value, ...part }));
  try {
    localStorage.setItem(place, JSON.stringify(settings.value));
  } catch {
    // They last as long as the page.
  }
}

/** Follows the settings that other tabs change. */
export function followSettings(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === place) settings.value = settingsOf(newValue);
  });
}
