import { describe, expect, it } from 'vitest';
import { encodeMouse, type MouseContext, type MouseModes } from '#keys';
import type { MouseInput } from '#model';
import { keyModes } from '../../test/support/keys/key-modes.ts';
import { type KeyVector, pressOf, readKeyVectors } from '../../test/support/keys/key-vectors.ts';
import { visible } from '../../test/support/vt/escaped-bytes.ts';

const vectors = readKeyVectors('mouse.txt');

const trackings = { 9: 'x10', 1000: 'normal', 1002: 'button', 1003: 'any' } as const;
const encodings = { 1005: 'utf8', 1006: 'sgr', 1015: 'urxvt', 1016: 'sgrPixels' } as const;

const mouseModes = (modes: Partial<MouseModes> = {}): MouseModes => ({
  ...keyModes(),
  mouseTracking: 'none',
  mouseEncoding: 'default',
  alternateScroll: false,
  ...modes,
});

function modesOf(section: string): MouseModes {
  const [tracking = '', encoding = ''] = section.split(' ');
  return mouseModes({
    mouseTracking: new Map(Object.entries(trackings)).get(tracking) ?? 'none',
    mouseEncoding: new Map(Object.entries(encodings)).get(encoding) ?? 'default',
  });
}

function eventOf(vector: KeyVector): MouseInput {
  const { shift = false, alt = false, ctrl = false } = pressOf(vector);
  const { button, place = '' } = vector.attributes;
  const [row = 0, col = 0] = place.split(',').map(Number);
  const named = button === undefined ? {} : { button: button as MouseInput['button'] & string };
  return { action: vector.key as MouseInput['action'], ...named, row, col, shift, alt, ctrl };
}

const sequenceOf = (event: MouseInput, modes: Partial<MouseModes>, context?: MouseContext) =>
  Buffer.from(encodeMouse(event, mouseModes(modes), context)).toString('latin1');

describe('the recorded events of the mouse', () => {
  it('are complete', () => {
    expect(vectors).toHaveLength(3075);
  });

  it.each([...new Set(vectors.map(({ section }) => section))])('match in %s', (section) => {
    const rows = vectors.filter((vector) => vector.section === section);
    const cellPixels = { width: 6, height: 13 };
    const encoded = rows.map((row) => ({
      ...row,
      bytes: sequenceOf(eventOf(row), modesOf(section), { cellPixels }),
    }));
    expect(encoded).toEqual(rows);
  });
});

describe('an event of the mouse', () => {
  const press = (row: number, col: number): MouseInput => ({ action: 'press', row, col });
  const tracked = { mouseTracking: 'normal' } as const;

  // xterm sends NUL for such a coordinate, which is none.
  it.each<[MouseInput, Partial<MouseModes>, string]>([
    [press(222, 0), {}, '\\e[M !\xff'],
    [press(223, 0), {}, ''],
    [press(0, 223), {}, ''],
    [press(0, 2014), { mouseEncoding: 'utf8' }, '\\e[M \xdf\xbf!'],
    [press(0, 2015), { mouseEncoding: 'utf8' }, ''],
    [press(999, 999), { mouseEncoding: 'sgr' }, '\\e[<0;1000;1000M'],
  ])('%o is only sent if it can be expressed (%o)', (event, modes, expected) => {
    expect(visible(sequenceOf(event, { ...tracked, ...modes }))).toBe(expected);
  });

  it('of a move is only sent for another cell than the one before', () => {
    const move: MouseInput = { action: 'move', button: 'left', row: 2, col: 3 };
    const modes = { mouseTracking: 'button', mouseEncoding: 'sgr' } as const;
    expect(sequenceOf(move, modes, { previous: { row: 2, col: 3 } })).toBe('');
    expect(sequenceOf(move, modes, { previous: { row: 2, col: 4 } })).toBe('\x1b[<32;4;3M');
    expect(sequenceOf({ ...move, action: 'press' }, modes, { previous: move })).toBe(
      '\x1b[<0;4;3M',
    );
  });

  it('of an unknown button that was released has the code of none', () => {
    const modes = { ...tracked, mouseEncoding: 'sgr' } as const;
    expect(sequenceOf({ action: 'release', button: 'none', row: 0, col: 0 }, modes)).toBe(
      '\x1b[<3;1;1m',
    );
  });

  // Five lines a step, as recorded from xterm.
  it('of the wheel sends cursor keys on the alternate screen in mode 1007, unless it is requested', () => {
    const wheel = { action: 'scrollUp', row: 2, col: 3 } as const;
    const modes = { alternateScreen: true, alternateScroll: true };
    expect(sequenceOf(wheel, modes)).toBe('\x1b[A'.repeat(5));
    const application = { ...modes, applicationCursorKeys: true };
    expect(sequenceOf({ ...wheel, action: 'scrollDown' }, application)).toBe('\x1bOB'.repeat(5));
    expect(sequenceOf({ ...wheel, action: 'scrollLeft' }, modes)).toBe('');
    expect(sequenceOf(wheel, { ...modes, alternateScreen: false })).toBe('');
    expect(sequenceOf(wheel, { ...modes, alternateScroll: false })).toBe('');
    expect(sequenceOf(wheel, { ...modes, mouseTracking: 'x10' })).toBe('');
    expect(sequenceOf(press(1, 1), modes)).toBe('');
  });
});
