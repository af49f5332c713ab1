import { expect, it } from 'vitest';
import { defaultSettings, type SettingName, type Settings, sizeOf } from './settings.ts';

const size = (settings: Partial<Settings>) =>
  sizeOf({ ...defaultSettings, ...settings }, new Set(Object.keys(settings) as SettingName[]));

/** The rows of the texts in VHS's repository (examples/glow, examples/cli-ui), by their settings. */
it.each([
  [{ Width: 1000, Height: 1050 }, 30],
  [{ Width: 1600, Height: 1040 }, 30],
  [{ FontSize: 32, Width: 2200, Height: 500 }, 8],
])('the screen has the rows that VHS has: %j', (settings, rows) => {
  expect(size(settings)?.rows).toBe(rows);
});

it('the screen is 80x24 without settings of its size, and never empty', () => {
  expect(size({})).toEqual({ cols: 80, rows: 24 });
  expect(size({ Theme: 'x' })).toEqual({ cols: 80, rows: 24 });
  expect(size({ Width: 100, Height: 100, Padding: 100 })).toBeNull();
  expect(size({ Width: 130, Height: 130, FontSize: 90 })).toEqual({ cols: 2, rows: 1 });
});
