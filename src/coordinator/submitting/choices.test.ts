import { describe, expect, it } from 'vitest';
import type { Menu } from '#model';
import { choicesOf, keyOf } from './choices.ts';

const menuOf = (options: readonly string[], rest: Partial<Menu> = {}): Menu => ({
  title: 'Proceed?',
  options,
  selected: 0,
  multiple: false,
  keys: '',
  ...rest,
});

const chosen = (menu: Menu, text: string) =>
  choicesOf(menu, text, false)?.map(({ index }) => index);

describe('a choice is named by', () => {
  const menu = menuOf(['1. Yes, proceed (y)', "2. Yes, and don't ask again (p)", '3. No (esc)']);

  it.each([
    ['1. Yes, proceed (y)', 0],
    ["yes, and don't ask again", 1],
    ['2', 1],
    ['p', 1],
    ['yes', 0],
    ['esc', 2],
    ['no', 2],
    ['don', 1],
  ])('%s', (text, index) => {
    expect(chosen(menu, text)).toEqual([index]);
  });

  it('its place, if the choices have no numbers', () => {
    expect(chosen(menuOf(['lint', 'test']), '2')).toEqual([1]);
    expect(chosen(menuOf(['10', '2']), '2')).toEqual([1]);
  });

  it('its key, if each choice is one', () => {
    const keys = menuOf(['Enter to stay', 'shift+Tab to leave', 'Esc to cancel'], {
      selected: null,
    });
    expect(choicesOf(keys, 'leave', false)).toMatchObject([{ index: 1, key: 'shift+tab' }]);
    expect(choicesOf(keys, 'escape', false)).toMatchObject([{ index: 2, key: 'escape' }]);
    const refusal = menuOf(['1. Yes', '2. No, and tell it what to do differently (Esc to stop)']);
    expect(choicesOf(refusal, 'no', false)).toMatchObject([{ key: 'escape', isByKey: true }]);
    const letters = menuOf(['[y] Approve', '[n] Deny'], { selected: null });
    expect(choicesOf(letters, 'deny', false)).toMatchObject([{ key: 'n', name: 'Deny' }]);
  });
});

describe('yes and no', () => {
  it.each([
    ['yes', ['Allow once', 'Allow always', 'Reject'], 0],
    ['no', ['Allow once', 'Allow always', 'Reject'], 2],
    ['yes', ['1. Approve', '2. Deny'], 0],
    ['no', ['1. Yes, I trust this folder', '2. No, exit'], 1],
    ['yes', ['1. Yes, I trust this folder', '2. No, exit'], 0],
    ['no', ['Know more', 'Not now', 'No'], 2],
    ['yes', ['Yes, allow', 'Yes, and always allow low impact commands', 'No, cancel'], 0],
    ['yes', ['Trust this folder Remembered for it.', "Don't trust Asked again."], 0],
    ['no', ['Trust this folder Remembered for it.', "Don't trust Asked again."], 1],
    ['no', ['1. Trust this folder', '2. Exit without trusting'], 1],
    ['yes', ['1. Trust folder (src)', '2. Trust parent folder (api)', "3. Don't trust"], 0],
  ] as const)('%s of %j is the choice that means it', (text, options, index) => {
    expect(chosen(menuOf(options), text)).toEqual([index]);
  });

  it.each([
    ['no', ['Do it now', 'Not now', 'Know more']],
    ['yes', ['Yesterday', 'Tomorrow']],
    ['yes', ['claude', 'codex']],
    ['no', ['No, this one', 'No, none of them', 'Yes']],
  ] as const)('%s of %j is none of them', (text, options) => {
    expect(() => chosen(menuOf(options), text)).toThrow(/nothing was typed/);
  });
});

it('a name of several choices or of none is refused', () => {
  const menu = menuOf(['Yes', 'Yes, always', 'No']);
  expect(() => chosen(menu, 'e')).toThrow(/several choices "e"; nothing was typed/);
  expect(() => chosen(menu, 'maybe')).toThrow(/no choice "maybe".*Yes \| Yes, always \| No/);
  expect(() => chosen(menu, 'Yes, No')).toThrow(/no choice/);
  expect(chosen(menu, 'yes')).toEqual([0]);
});

it('where several can be chosen, they have commas between them', () => {
  const menu = menuOf(['Lint', 'Test', 'Build, all'], { multiple: true, checked: [1] });
  expect(chosen(menu, 'lint, test')).toEqual([0, 1]);
  expect(chosen(menu, 'build, all')).toEqual([2]);
  const boxes = menuOf(['1. [ ] Lint', '2. [x] Test', 'Submit']);
  expect(choicesOf(boxes, 'lint', false)).toMatchObject([{ index: 0, box: false }]);
  expect(choicesOf(boxes, null, false)?.[2]).toMatchObject({ isButton: true, box: null });
});

it('a list that is filtered may have a choice that is not shown', () => {
  expect(choicesOf(menuOf(['a', 'b']), 'zebra', true)).toBeNull();
});

it('keys have the names of sendKeys', () => {
  expect([keyOf('Esc'), keyOf('⏎'), keyOf('y'), keyOf('shift-Tab'), keyOf('hello')]).toEqual([
    'escape',
    'enter',
    'y',
    'shift+tab',
    null,
  ]);
});
