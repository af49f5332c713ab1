import { contrast, legible, mix } from './contrast.ts';
import { readScheme, type Scheme } from './scheme.ts';

const solarized = [
  ...['#073642', '#dc322f', '#859900', '#b58900', '#268bd2', '#d33682', '#2aa198', '#eee8d5'],
  ...['#586e75', '#cb4b16', '#8cae00', '#c79a2a', '#4aa3e0', '#6c71c4', '#43b8af', '#fdf6e3'],
];

/** Themes besides `dark` and `light`, which are in themes.css. */
const schemes: Readonly<Record<string, Scheme>> = {
  contrast: {
    name: 'High contrast',
    back: '#000000',
    front: '#ffffff',
    cursor: '#ffff00',
    palette: [
      ...['#000000', '#ff6b6b', '#5cff5c', '#ffff5c', '#8cb4ff', '#ff8cff', '#5cffff', '#f2f2f2'],
      ...['#a6a6a6', '#ff9c9c', '#9cff9c', '#ffff9c', '#b4d0ff', '#ffb4ff', '#9cffff', '#ffffff'],
    ],
  },
  'solarized-dark': {
    name: 'Solarized dark',
    back: '#002b36',
    front: '#9fb0b2',
    cursor: '#93a1a1',
    palette: solarized,
  },
  'solarized-light': {
    name: 'Solarized light',
    back: '#fdf6e3',
    front: '#52656c',
    cursor: '#586e75',
    palette: solarized,
  },
};

/** The themes that a person can choose: names and texts. */
export const themes: readonly (readonly [name: string, text: string])[] = [
  ['auto', 'As the system'],
  ['dark', 'Dark'],
  ['light', 'Light'],
  ...Object.entries(schemes).map(([name, scheme]) => [name, scheme.name] as const),
  ['own', 'Own'],
];

/** What the page's style sheet gets of a theme. */
export interface ThemeStyle {
  /** The theme of themes.css on which it is based. */
  readonly base: 'dark' | 'light';
  /** Variables that differ. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * @param own the text of the person's scheme
 * @param isDark whether the system is
 * @param configured the text of the scheme of the configuration, which takes the place of the system's; empty for none
 */
export function styleOf(theme: string, own: string, isDark: boolean, configured = ''): ThemeStyle {
  if (theme === 'dark' || theme === 'light') return { base: theme, variables: {} };
  const texts: Readonly<Record<string, string>> = { own, auto: configured };
  const scheme = schemes[theme] ?? ownScheme(texts[theme] ?? '');
  if (scheme !== undefined) return styleOfScheme(scheme);
  return { base: isDark ? 'dark' : 'light', variables: {} };
}

function ownScheme(text: string): Scheme | undefined {
  try {
    return readScheme(text);
  } catch {
    return undefined;
  }
}

/** Returns all colours of the page for a scheme. Text has enough contrast. */
function styleOfScheme({ back, front, cursor, palette }: Scheme): ThemeStyle {
  const rgb = (color: string) => Number.parseInt(color.slice(1), 16);
  const css = (color: number) => `#${color.toString(16).padStart(6, '0')}`;
  const [ground, text] = [rgb(back), rgb(front)];
  const base = contrast(0xffffff, ground) > contrast(0, ground) ? 'dark' : 'light';
  const toward = (share: number) => css(mix(ground, text, share));
  const panel = toward(0.06);
  // On both grounds, as they differ little.
  const read = (color: string) => css(legible(legible(rgb(color), ground), rgb(panel)));
  const [, red = front, green = front, yellow = front] = palette;
  const accent = read(green);
  const variables: Record<string, string> = {
    back,
    panel,
    front: read(front),
    raised: toward(0.09),
    hover: toward(0.14),
    edge: toward(0.28),
    soft: read(toward(0.65)),
    accent,
    'on-accent': css(legible(ground, rgb(accent))),
    warn: read(yellow),
    bad: read(red),
    cursor,
  };
  for (const [at, color] of palette.entries()) {
    variables[`c${at}`] = color;
    variables[`b${at}`] = color;
  }
  return { base, variables };
}
