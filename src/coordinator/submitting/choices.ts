import { quoted } from '#base';
import { type Menu, VtrError } from '#model';

/** A choice of a menu. */
export interface Choice {
  /** Its place from 0. */
  readonly index: number;
  /** Its text without number, box and key. */
  readonly name: string;
  /** The number that it begins with; null without one. */
  readonly number: number | null;
  /** The key that takes it, as for `sendKeys`; null if it names none. */
  readonly key: string | null;
  /** Whether the box in its text is marked; null if its text has none. */
  readonly box: boolean | null;
  /** Whether the key takes it, and Enter may not. */
  readonly isByKey: boolean;
  /** Whether it ends a list of boxes. */
  readonly isButton: boolean;
}

const numbered = /^[[(]?(\d{1,3})(?:[.)\]])\s*(?=\S)/u;
const boxed = /^\[([ xX*✔✓]?)\]\s+/u;
/** `[y] Approve` */
const lettered = /^\[(\w)\]\s+(?=\S)/u;
/** `No, and tell it what to do differently (Esc to stop)`: Enter would wait for a text. */
const escapeBehind = /\s+\(esc to [^()]+\)$/iu;
/** `Yes, proceed (y)`, `No (esc)` */
const keyBehind = /\s+\((\w|esc|enter|tab|(?:shift|ctrl|alt)\+\w+)\)$/iu;
/** `Esc to cancel`, `Enter: open`, `a Apple`; as in the choices of which each is a key. */
const keyBefore =
  /^(?:press\s+)?((?:(?:ctrl|shift|alt|cmd)[+-])*(?:enter|return|esc|escape|tab|space|backspace|[←↑→↓⏎↵⎋]|\w))(?:\s+to\s+|:\s*|\s+)(?=\S)/iu;
const button = /^(?:submit|done|next|continue|confirm|finish)\b/iu;

const keyNames: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  '⏎': 'enter',
  '↵': 'enter',
  '⎋': 'escape',
  '←': 'left',
  '↑': 'up',
  '→': 'right',
  '↓': 'down',
};

const keyName =
  /^(?:enter|escape|tab|space|backspace|up|down|left|right|(?:ctrl|shift|alt)\+[a-z]+|\S)$/iu;

/** Returns a key as `sendKeys` takes it; null if the word names none. */
export function keyOf(word: string): string | null {
  const lower = [...word].length === 1 ? word : word.toLowerCase().replace(/-/gu, '+');
  const name = keyNames[lower] ?? lower;
  return keyName.test(name) ? name : null;
}

function choiceOf(option: string, index: number, hasBoxes: boolean, isKeys: boolean): Choice {
  const number = numbered.exec(option);
  const afterNumber = option.slice(number?.[0].length ?? 0);
  const box = boxed.exec(afterNumber);
  const afterBox = afterNumber.slice(box?.[0].length ?? 0);
  const letter = box === null ? lettered.exec(afterBox) : null;
  const before = isKeys && letter === null ? keyBefore.exec(afterBox) : null;
  const rest = afterBox.slice((letter ?? before)?.[0].length ?? 0);
  const refusal = escapeBehind.exec(rest);
  const behind = refusal ?? keyBehind.exec(rest);
  const key = refusal === null ? (letter?.[1] ?? before?.[1] ?? behind?.[1]) : 'escape';
  const name = behind === null ? rest : rest.slice(0, behind.index);
  return {
    index,
    name: name.trim(),
    number: number === null ? null : Number(number[1]),
    key: key === undefined ? null : keyOf(key),
    isByKey: refusal !== null,
    box: box === null ? null : box[1]?.trim() !== '',
    isButton: hasBoxes && box === null && button.test(name),
  };
}

/** Returns all choices of a menu. */
function allChoices({ options, selected, checked }: Menu): Choice[] {
  const hasBoxes = options.some((option) => boxed.test(option.replace(numbered, '')));
  const isKeys =
    selected === null && checked === undefined && options.every((each) => keyBefore.test(each));
  return options.map((option, index) => choiceOf(option, index, hasBoxes, isKeys));
}

/**
 * Returns the choices that a text names: by their text, their number, their key, the beginning or a part of their text.
 *
 * @param text null: all choices. Several names have commas between them where several can be chosen
 * @param isFilter whether a text may name a choice that is not shown
 * @returns null if no choice has the name, and one that is not shown may
 * @throws VtrError INVALID_ARGUMENT if no choice or several have a name
 */
export function choicesOf(menu: Menu, text: string | null, isFilter: boolean): Choice[] | null {
  const choices = allChoices(menu);
  if (text === null) return choices;
  const whole = named(choices, text, menu);
  if (whole.length === 1) return whole;
  const takesSeveral = menu.multiple || choices.some(({ box }) => box !== null);
  const parts = takesSeveral ? text.split(/\s*,\s*/u).filter((part) => part !== '') : [text];
  const matches = parts.map((part) => ({ part, choices: named(choices, part, menu) }));
  if (takesSeveral && text.trim() === '') return [];
  const wrong = matches.find((each) => each.choices.length !== 1);
  if (wrong === undefined) return matches.flatMap((each) => each.choices);
  if (isFilter && parts.length === 1 && wrong.choices.length === 0) return null;
  const why = wrong.choices.length === 0 ? 'no choice' : 'several choices';
  const message = `${why} ${quoted(wrong.part)}; nothing was typed; the choices are ${menu.options.join(' | ')}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

/** Choices that mean yes or no, by their whole text; one about trust may have its explanation behind it. */
const meanings: Readonly<Record<string, RegExp>> = {
  yes: /^(?:allow|allow once|approve|approve once|accept|ok|okay|proceed|continue|trust (?:this )?(?:folder|directory|workspace)(?: .*)?)$/u,
  no: /^(?:reject|deny|decline|refuse|don['’]t allow|do not allow|cancel|(?:don['’]t|do not|exit without) trust(?:ing)?(?: .*)?)$/u,
};

/** What else a choice agrees to. */
const lasting = /\balways\b|don['’]t ask|\bfor this session\b|\bfrom now on\b/u;

/** Returns the choices that a word names in the first way in which it names any. */
function named(choices: readonly Choice[], text: string, { options }: Menu): Choice[] {
  const needle = text.trim().toLowerCase();
  const meaning = meanings[needle];
  const hasNumbers = choices.some(({ number }) => number !== null);
  const place = /^\d{1,3}$/u.test(needle) ? Number(needle) : null;
  const key = keyOf(needle);
  const name = (choice: Choice) => choice.name.toLowerCase();
  // `no` is no part of `Not now` or `Know more`.
  const beginsWithWord = (choice: Choice) =>
    meaning !== undefined && new RegExp(`^${needle}(?![\\p{L}\\p{N}])`, 'u').test(name(choice));
  const ways: ((choice: Choice) => boolean)[] = [
    ({ index }) => options[index]?.trim().toLowerCase() === needle,
    (choice) => name(choice) === needle,
    ({ number, index }) => place !== null && place === (hasNumbers ? number : index + 1),
    (choice) => choice.key !== null && choice.key.toLowerCase() === key?.toLowerCase(),
    // `yes` is the choice with the key y, and not the one that also says yes to what comes later.
    (choice) => meaning !== undefined && choice.key?.toLowerCase() === needle[0],
    (choice) => beginsWithWord(choice) && !lasting.test(name(choice)),
    beginsWithWord,
    (choice) => meaning?.test(name(choice)) === true,
    (choice) => meaning === undefined && needle !== '' && name(choice).startsWith(needle),
    (choice) => meaning === undefined && needle !== '' && name(choice).includes(needle),
  ];
  return ways.map((way) => choices.filter(way)).find((each) => each.length > 0) ?? [];
}
