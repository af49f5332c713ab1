import { expect, it } from 'vitest';
import { defaultSettings, type SettingName, type Settings } from './settings.ts';
import { ignoredOf, lookOf } from './tape-outputs.ts';

const argumentsOf = (settings: Partial<Settings>) =>
  [{ ...defaultSettings, ...settings }, new Set(Object.keys(settings) as SettingName[])] as const;
const look = (settings: Partial<Settings>) => lookOf(...argumentsOf(settings));

it('lengths are scaled to the cells of pictures', () => {
  // In VHS, letters of 20 pixels have cells of 13, here of 10.
  const settings = { FontSize: 20, Padding: 26, Margin: 13, MarginFill: '#674EFF' };
  const bar = { WindowBar: 'RingsRight', WindowBarSize: 39, BorderRadius: 13 };
  expect(look({ ...settings, ...bar }).surround).toEqual({
    padding: 20,
    margin: 10,
    marginColor: 0x674eff,
    radius: 10,
    bar: { height: 30, isRings: true, isRight: true },
  });
  expect(look({ MarginFill: '', Margin: 30 }).surround?.margin).toBe(0);
  expect(look({ Framerate: 20 }).surround).toBeUndefined();
  expect([look({}).scale, look({ FontSize: 22 }).scale, look({ FontSize: 32 }).scale]).toEqual([
    1, 1, 2,
  ]);
});

it('a theme has the colours of its JSON, and else those of xterm', () => {
  const Theme = '{ "name": "Dusk", "brightRed": "#fab", "background": "#29283b" }';
  expect(look({ Theme }).theme).toMatchObject({ background: 0x29283b, cursor: 0xe5e5e5 });
  expect(look({ Theme }).theme?.palette.slice(8, 11)).toEqual([0x7f7f7f, 0xffaabb, 0x00ff00]);
});

it('animations have at most 50 frames a second, and begin within', () => {
  expect(look({ Framerate: 120 }).framesPerSecond).toBe(50);
  expect(look({ LoopOffset: 20.5 }).loopOffset).toBeCloseTo(0.205);
  expect(look({ LoopOffset: 100 }).loopOffset).toBe(0);
});

it.each([
  [{ FontFamily: 'Monoflow' }, /^FontFamily has no effect on pictures: /],
  [{ LetterSpacing: 2 }, /^LetterSpacing has no effect on pictures: /],
  [{ LineHeight: 1.8 }, /^LineHeight has no effect on pictures: /],
  [{ CursorBlink: true }, /^CursorBlink has no effect on pictures: /],
  [{ MarginFill: 'wall.png' }, /^MarginFill has no effect on pictures: /],
  [
    { Theme: 'Dracula' },
    /^Theme has no effect on pictures: there is no theme Dracula; give its colours/,
  ],
  [{ Theme: '{ "red": "red" }' }, /^Theme has no effect on pictures: its colours/],
  [{ BorderRadius: 20, Padding: 5 }, /^BorderRadius is drawn as 3 times the Padding/],
])('%j is told to have no effect', (settings, message) => {
  expect(ignoredOf(...argumentsOf(settings))).toEqual([expect.stringMatching(message)]);
});

it('what has an effect, or is the default, is not told', () => {
  const { Shell, WaitTimeout, CursorBlink, ...rest } = defaultSettings;
  const settings = {
    ...rest,
    Padding: 20,
    MarginFill: '#674EFF',
    BorderRadius: 8,
    Theme: '{"red":"#f00"}',
  };
  expect(ignoredOf(...argumentsOf({ ...settings, CursorBlink: false }))).toEqual([]);
});
