import { effect, signal } from '@preact/signals';
import type { Me } from '../link/login.ts';
import { readScheme } from './scheme.ts';
import { configured, followSettings, settings } from './settings.ts';
import { styleOf } from './themes.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** Calls a listener when the theme, the font or its size have changed. @returns ends that */
export function onLook(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of [...listeners]) listener();
}

let ownNames: readonly string[] = [];

/** Gives the page the look that the person wants, now and from now on. */
export function startLook(): void {
  followSettings();
  effect(() => {
    show();
    changed();
  });
  dark.addEventListener('change', () => {
    show();
    changed();
  });
  // Fonts that come later have other sizes.
  document.fonts.addEventListener('loadingdone', ({ fontfaces }) => {
    if (fontfaces.some(({ family }) => !family.includes('shapes-'))) changed();
  });
}

/** Why the colour scheme of the configuration is not shown; empty if it is, or there is none. */
export const themeProblem = signal('');

/** Takes the colour scheme of the configuration. */
export function takeTheme(theme: Me['theme']): void {
  if (theme === undefined) return;
  if ('problem' in theme) {
    themeProblem.value = theme.problem;
    return;
  }
  try {
    readScheme(theme.text);
    configured.value = theme.text;
  } catch (error) {
    themeProblem.value = `web_theme: ${(error as Error).message}`;
  }
}

function show(): void {
  const { theme, scheme, font, lineHeight, ligatures } = settings.value;
  const { style, dataset } = document.documentElement;
  const { base, variables } = styleOf(theme, scheme, dark.matches, configured.value);
  dataset['theme'] = base;
  for (const name of ownNames) style.removeProperty(name);
  const all: Record<string, string> = { 'line-height': String(lineHeight) };
  // The name of a font, as a string of CSS.
  if (font !== '') all['own-font'] = JSON.stringify(font);
  else if (ligatures) all['own-font'] = '"vtr ligatures"';
  // Said in full: a space between letters, which makes cells whole pixels, else turns them off.
  if (ligatures) all['ligatures'] = 'common-ligatures contextual';
  Object.assign(all, variables);
  for (const [name, value] of Object.entries(all)) style.setProperty(`--${name}`, value);
  ownNames = Object.keys(all).map((name) => `--${name}`);
  const back = getComputedStyle(document.documentElement).getPropertyValue('--back').trim();
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', back);
}
