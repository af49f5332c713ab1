import { describe, expect, it } from 'vitest';
import { contrast } from './contrast.ts';
import { readScheme } from './scheme.ts';
import { defaults, settingsOf } from './settings.ts';
import { styleOf, themes } from './themes.ts';

const names = ['black', 'red', 'green', 'yellow', 'blue', 'purple', 'cyan', 'white'];
const bright = names.map((name) => `bright${name[0]?.toUpperCase()}${name.slice(1)}`);
const colorOf = (at: number) => `#${(at * 0x0f0f0f).toString(16).padStart(6, '0')}`;

const windows = JSON.stringify({
  name: 'Campbell',
  background: '#0C0C0C',
  foreground: '#CCCCCC',
  cursorColor: '#FFFFFF',
  ...Object.fromEntries([...names, ...bright].map((name, at) => [name, colorOf(at)])),
});
const ghostty = [
  '# a comment',
  ...Array.from({ length: 16 }, (_, at) => `palette = ${at}=${colorOf(at)}`),
  'background = 0c0c0c',
  'foreground = #cccccc',
  'cursor-color = #ffffff',
  'font-size = 13',
].join('\n');

describe('a colour scheme', () => {
  it('is read from Windows Terminal and from Ghostty, with the same result', () => {
    const colors = {
      back: '#0c0c0c',
      front: '#cccccc',
      cursor: '#ffffff',
      palette: Array.from({ length: 16 }, (_, at) => colorOf(at)),
    };
    expect(readScheme(windows)).toEqual({ name: 'Campbell', ...colors });
    expect(readScheme(ghostty)).toEqual({ name: 'Own', ...colors });
  });

  it.each([
    ['{"red": ', 'the scheme is no JSON'],
    ['palette = 0=#000000', 'the scheme has no colour 1, 2, 3'],
    [ghostty.replace(/background.*\n/, ''), 'the scheme has no background or no foreground'],
    [ghostty.replace('palette = 3=#2d2d2d', 'palette = 3=url(x)'), 'the scheme has no colour 3'],
  ])('that is not whole is refused: %s', (text, why) => {
    expect(() => readScheme(text)).toThrow(why);
  });
});

describe('a theme', () => {
  const all = themes
    .map(([name]) => name)
    .filter((name) => !['auto', 'dark', 'light'].includes(name));

  it.each(all)('%s shows text with enough contrast', (name) => {
    const { variables } = styleOf(name, ghostty, true);
    const rgb = (color: string) => Number.parseInt(variables[color]?.slice(1) ?? '', 16);
    for (const text of ['front', 'soft', 'accent', 'warn', 'bad']) {
      for (const ground of ['back', 'panel']) {
        expect(contrast(rgb(text), rgb(ground)), `${text} on ${ground}`).toBeGreaterThanOrEqual(
          4.5,
        );
      }
    }
    expect(contrast(rgb('on-accent'), rgb('accent'))).toBeGreaterThanOrEqual(4.5);
  });

  it('follows the system, and is that of the system where a scheme is not good', () => {
    expect(styleOf('auto', '', true)).toEqual({ base: 'dark', variables: {} });
    expect(styleOf('auto', '', false)).toEqual({ base: 'light', variables: {} });
    expect(styleOf('own', 'nothing', false)).toEqual({ base: 'light', variables: {} });
    expect(styleOf('solarized-light', '', true).base).toBe('light');
  });

  it('is that of the configuration where the person has chosen none', () => {
    const { base, variables } = styleOf('auto', '', false, ghostty);
    expect([base, variables['back'], variables['c3']]).toEqual(['dark', '#0c0c0c', '#2d2d2d']);
    expect(styleOf('light', '', true, ghostty)).toEqual({ base: 'light', variables: {} });
    expect(styleOf('auto', '', true, 'nothing')).toEqual({ base: 'dark', variables: {} });
  });
});

it('settings that were kept are bounded, and wrong ones are as by default', () => {
  expect(settingsOf(null)).toEqual(defaults);
  expect(settingsOf('no JSON')).toEqual(defaults);
  expect(settingsOf('null')).toEqual(defaults);
  const wrong = { theme: 'light', fontSize: 900, lineHeight: 'x', font: 3, other: 1 };
  expect(settingsOf(JSON.stringify(wrong))).toEqual({ ...defaults, theme: 'light', fontSize: 32 });
});
