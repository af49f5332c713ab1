import { expect, it } from 'vitest';
import type { Menu, OwnActivity } from '#model';
import { shownQuestion } from '#watch';
import { readBytes, readCase } from '../../scripts/golden/case-files.mjs';
import { WatchedTerminal } from '../support/session/watched-terminal.ts';

/** A program reads the terminal. */
const reading: OwnActivity = {
  state: 'awaiting_input',
  evidence: {
    shellMark: null,
    promptPattern: false,
    alternateScreen: true,
    foreground: null,
    leaderInForeground: true,
    echo: false,
    canonical: false,
    readingTerminal: true,
    alsoWaits: null,
    unfinishedLine: true,
  },
  sinceMs: 0,
  revision: 0,
};

/** Returns what the screens of a recording ask: one for each group of keys. */
function askedIn(name: string) {
  const { size, checkpoints } = readCase(name);
  const bytes = readBytes(name);
  const watched = new WatchedTerminal(size);
  let from = 0;
  return checkpoints.map(({ offset }) => {
    watched.output(bytes.subarray(from, offset));
    from = offset;
    return shownQuestion(reading, watched);
  });
}

/** What a person sees first and after each group of keys; null for a field, which has no menu. */
type Shown = readonly (Partial<Menu> | null)[];

const fruits = { title: 'Which one?', options: ['a Apples', 'b Pears', 'c Plums'] };
const recorded: Readonly<Record<string, Shown>> = {
  'whiptail-radiolist': [
    { ...fruits, selected: 0, multiple: false, checked: [2], keys: '<Ok> <Cancel>' },
    { selected: 1 },
    { selected: 2, button: 'Ok' },
    { selected: 2, button: 'Cancel' },
  ],
  'whiptail-checklist': [
    { title: 'Which?', options: ['a Apples'], selected: 0, multiple: true, checked: [] },
    { selected: 0, checked: [0] },
    { selected: null, checked: [0], button: 'Cancel' },
  ],
  'whiptail-inputbox': [null, { title: 'Your name?', options: ['Ok', 'Cancel'], selected: 0 }],
  'whiptail-scrolled-menu': [
    { title: 'Choose one', options: ['1 One', '2 Two', '3 Three'], selected: 0 },
    { selected: 1 },
  ],
  'dialog-radiolist': [
    { ...fruits, selected: 0, multiple: false, checked: [2], button: 'OK' },
    { selected: 1 },
    { selected: 1, button: 'Cancel' },
  ],
  'dialog-scrolled-menu': [
    {
      title: 'Choose one',
      options: ['1 One', '2 Two', '3 Three', '4 Four', '5 Five'],
      selected: 0,
    },
    { selected: 1, button: 'OK' },
  ],
};

it.each(Object.entries(recorded))('reads %s as a person sees it', (name, shown) => {
  const menus = askedIn(name).map((question) => question?.menu ?? null);
  expect(menus).toMatchObject(shown);
});

it.each(['whiptail-inputbox', 'dialog-inputbox'])('asks for a text in %s', (name) => {
  expect(askedIn(name)[0]).toMatchObject({ question: 'Your name?', menu: null, by: 'text' });
});

it('has the menu of select in zsh until something is typed', () => {
  const [first] = askedIn('zsh-select');
  expect(first?.menu).toMatchObject({
    title: '?#',
    options: ['1) red', '2) green', '3) blue'],
    selected: null,
    multiple: false,
  });
});
