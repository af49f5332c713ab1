import { type Cell, highlightsOf, type Menu, type Style } from '#model';
import { hasOwnKey, isBlank, isKeyHint, type ShownRow, type ShownScreen } from './shown-rows.ts';

/** A row that may be a choice. */
interface Entry extends ShownRow {
  readonly pointer: string;
  readonly mark: string;
  /** The column of the mark, or of the text if there is none. */
  readonly markCol: number;
  /** The column of the text after pointer and mark. */
  readonly textCol: number;
  readonly option: string;
  /** The number of a choice such as `2. No`; null without one. */
  readonly number: number | null;
}

/** A list of choices, and the rows that it takes. */
export interface OptionList {
  readonly menu: Omit<Menu, 'title' | 'keys'>;
  /** The first row, and one past the last. */
  readonly from: number;
  readonly to: number;
  /** Whether the choices alone show that it is a menu: they have numbers, or answer a question. */
  readonly isSure: boolean;
}

const pointers = /^([❯›▸▶➤→>»‣➜])(?:\s+(?=\S)|(?=[◯◉◻◼☐☑☒[(]))/u;
const marks = /^(\[[ xX*✔✓]?\]|\([ xX*•●]?\)|[◯◉◻◼☐☑☒⬡⬢○●✔✓■□])\s+(?=\S)/u;
/** The mark of a choice that is not selected. It also begins items of text, so it counts only if a key hint names a key that selects. */
const bullet = /^(•)\s+(?=\S)/u;
const togglesBy = /\bspace\b.{0,8}\b(?:toggle|select|mark)\b/iu;
/** Signs of what a choice means, as those of Nanocoder: `✓ Yes`, `✗ No`. Next to one that denies, `✓` is not a mark. */
const icon = /^[✓✔✗✘✖]\s+(?=\S)/u;
const denial = /^[✗✘✖]\s+\S/u;
/** A choice of @inquirer that cannot be taken. */
const disabled = /^-\s+(?=\S)/u;
const numbers = /^(\d{1,3})[.)]\s+\S/u;
/** A choice that answers a question. */
const answers =
  /^(?:\d+[.)]\s+)?(?:yes|no|allow|deny|approve|reject|cancel|accept|decline|continue|exit|skip|trust|ok)\b/iu;

/** Marks of lists of which one is chosen, and marks of what is chosen. */
const isSingle = /^[○●(]/u;
const isChosen = /^(?:\[[xX*✔✓]\]|\([xX*•●]\)|[◉◼☑☒⬢●✔✓■])$/u;

const maxOptions = 100;
/** In UTF-16 code units. */
const maxOptionLength = 200;

/** What the rows of a list may begin with. */
interface Signs {
  /** Whether one may have {@link bullet}. */
  readonly hasBullets: boolean;
  /** Whether it has {@link icon}. */
  readonly hasIcon: boolean;
}

const withoutPointer = ({ text }: ShownRow): string => text.replace(pointers, '');

/** Returns the rows as choices. */
function entriesOf(rows: readonly ShownRow[]): Entry[] {
  const hasBullets = rows.some(({ text }) => isKeyHint(text) && togglesBy.test(text));
  const isIcon = rows.map((row) => icon.test(withoutPointer(row)));
  const isDenial = rows.map((row) => denial.test(withoutPointer(row)));
  return rows.map((row, at) => {
    let [from, to] = [at, at];
    while (isIcon[from - 1] === true) from--;
    while (isIcon[to] === true) to++;
    const hasIcon = isIcon[at] === true && isDenial.slice(from, to).includes(true);
    return entryOf(row, { hasBullets, hasIcon });
  });
}

function entryOf(shown: ShownRow, { hasBullets, hasIcon }: Signs): Entry {
  const pointer = pointers.exec(shown.text);
  const afterPointer = shown.text.slice(pointer?.[0].length ?? 0);
  const sign = hasIcon ? icon.exec(afterPointer) : null;
  const mark =
    sign === null
      ? (marks.exec(afterPointer) ?? (hasBullets ? bullet.exec(afterPointer) : null))
      : null;
  const afterMark = afterPointer.slice((sign ?? mark)?.[0].length ?? 0);
  const option = pointer === null && mark === null ? afterMark.replace(disabled, '') : afterMark;
  const number = numbers.exec(option)?.[1];
  return {
    ...shown,
    pointer: pointer?.[1] ?? '',
    mark: mark?.[1] ?? '',
    markCol: shown.col + shown.text.length - afterPointer.length,
    textCol: shown.col + shown.text.length - option.length,
    option,
    number: number === undefined ? null : Number(number),
  };
}

/**
 * Returns the last list of choices with a pointer or with marks; null if there is none.
 *
 * @param isDialog whether the rows are those of a dialog, in which a single mark is a list, too. Default: false
 */
export function lastOptionList(
  rows: readonly ShownRow[],
  screen: ShownScreen,
  isDialog = false,
): OptionList | null {
  const entries = entriesOf(rows);
  const at = entries.findLastIndex(
    ({ pointer, mark, text, option }) =>
      (pointer !== '' && (hasOwnKey(text) || !isKeyHint(option))) ||
      (mark !== '' && !isKeyHint(text)),
  );
  const anchor = entries[at];
  if (anchor === undefined) return null;
  const list =
    (anchor.mark === '' ? null : choicesOf(entries, at, markedShape(anchor), isDialog ? 1 : 2)) ??
    choicesOf(entries, at, pointedShape(anchor), 2);
  if (list === null || isComposer(list, screen)) return null;
  const choices = describedChoices(entries, at, screen) ?? list;
  return listOf(choices, screen);
}

/** What the rows of a list look like. */
interface Shape {
  isChoice(entry: Entry): boolean;
  /** The column in which the text of the choices begins. */
  readonly textCol: number;
  /** Whether the choices have numbers, so that blank rows and dividers may be between them. */
  readonly hasNumbers: boolean;
  /** Whether each choice may name its key, as a row of keys does: `Continue (tab)`. */
  readonly hasKeys: boolean;
}

const markedShape = ({ mark, textCol }: Entry): Shape => ({
  isChoice: (each) => each.mark !== '' && isSingle.test(each.mark) === isSingle.test(mark),
  textCol,
  hasNumbers: false,
  hasKeys: false,
});

/** One choice has a pointer, the others begin in the column of its text. */
const pointedShape = (anchor: Entry): Shape => ({
  isChoice: (each) =>
    each === anchor ||
    (each.pointer + each.mark === '' &&
      each.textCol === anchor.textCol &&
      (each.number === null) === (anchor.number === null)),
  textCol: anchor.textCol,
  hasNumbers: anchor.number !== null,
  hasKeys: hasOwnKey(anchor.text),
});

/** The rows of each choice: the choice, and what explains or continues it. */
type Choices = readonly (readonly [Entry, ...Entry[]])[];

/** Returns the choices around the one at an index; null if there are fewer than `min`. */
function choicesOf(
  entries: readonly Entry[],
  anchor: number,
  shape: Shape,
  min: number,
): Choices | null {
  const choices: [Entry, ...Entry[]][] = [];
  for (const entry of entries.slice(topOf(entries, anchor, shape))) {
    const last = choices.at(-1);
    const kind = kindOf(entry, last?.[0] ?? null, shape, 1);
    if (kind === 'choice') choices.push([entry]);
    else if (kind === 'detail') last?.push(entry);
    else if (kind === 'end') break;
  }
  return choices.length < min || choices.length > maxOptions ? null : choices;
}

/**
 * Returns choices that blank rows divide, each with a description in the same column, which only its style tells.
 * Null if the rows around the choice at an index are none.
 */
function describedChoices(
  entries: readonly Entry[],
  anchor: number,
  screen: ShownScreen,
): Choices | null {
  const { textCol = 0, number } = entries[anchor] ?? {};
  if (number !== null) return null;
  const isPart = (entry: Entry | undefined) =>
    entry !== undefined && !entry.isRule && (isBlank(entry) || entry.textCol === textCol);
  let [from, to] = [anchor, anchor + 1];
  while (isPart(entries[from - 1])) from--;
  while (isPart(entries[to])) to++;
  const groups: [Entry, ...Entry[]][] = [];
  for (const [index, entry] of entries.slice(from, to).entries()) {
    if (isBlank(entry)) continue;
    const before = entries[from + index - 1];
    if (groups.length === 0 || (before !== undefined && isBlank(before))) groups.push([entry]);
    else groups.at(-1)?.push(entry);
  }
  const styleOf = ({ row, textCol: col }: Entry) => styleKey(screen.cells(row)[col]);
  const described = new Set(groups.flatMap(([, ...details]) => details.map(styleOf)));
  const isList =
    groups.length > 1 &&
    described.size === 1 &&
    groups.every(([first, ...details]) => details.length > 0 && !described.has(styleOf(first)));
  return isList ? groups : null;
}

/** Returns the index of the first choice. */
function topOf(entries: readonly Entry[], anchor: number, shape: Shape): number {
  let top = anchor;
  for (let at = anchor - 1; at >= 0; at--) {
    const kind = kindOf(entries[at] as Entry, entries[top] as Entry, shape, -1);
    if (kind === 'end') break;
    if (kind === 'choice') top = at;
  }
  return top;
}

/** @param step whether the row is below (1) or above (-1) the known choice */
function kindOf(
  entry: Entry,
  other: Entry | null,
  { isChoice, textCol, hasNumbers, hasKeys }: Shape,
  step: 1 | -1,
): 'choice' | 'detail' | 'gap' | 'end' {
  if (isBlank(entry) || entry.isRule) return hasNumbers ? 'gap' : 'end';
  // A pointer such as → is not the key of that name.
  const { text, option, pointer } = entry;
  const isHint = isKeyHint(pointer === '' ? text : option);
  if (isHint && !(hasKeys && hasOwnKey(text))) return 'end';
  if (isChoice(entry)) {
    const isNext = other === null || !hasNumbers || entry.number === (other.number ?? 0) + step;
    return isNext ? 'choice' : 'end';
  }
  return entry.mark === '' && entry.pointer === '' && entry.col > textCol ? 'detail' : 'end';
}

/** Several lines that are typed into a field behind `❯` look as choices do, but for the cursor. */
function isComposer(choices: Choices, { cursor }: ShownScreen): boolean {
  if (!cursor.visible || choices.some(([{ number, mark }]) => number !== null || mark !== '')) {
    return false;
  }
  const typed = choices.flat().find(({ row }) => row === cursor.row);
  return typed !== undefined && cursor.col >= typed.col + typed.text.length;
}

function listOf(choices: Choices, screen: ShownScreen): OptionList {
  const first = choices.map(([entry]) => entry);
  const options = choices.map(([{ option }, ...details]) =>
    [option, ...details.map(({ text }) => text)]
      .map((part) => part.replace(/\s+/gu, ' '))
      .join(' ')
      .slice(0, maxOptionLength),
  );
  const multiple = first.every(({ mark }) => mark !== '' && !isSingle.test(mark));
  const chosen = [...first.keys()].filter((index) => isChosen.test(first[index]?.mark ?? ''));
  const isKnown = new Set(first.map(({ mark }) => mark)).size > 1 || chosen.length === 0;
  const isBracket = first.every(({ mark }) => /^[[(]/u.test(mark));
  const painted = isKnown || isBracket ? null : paintedMarks(first, screen);
  const hasMarks = multiple || isBracket;
  const rows = choices.flat();
  return {
    menu: {
      options,
      selected: selectedOf(first, chosen, screen),
      multiple,
      ...(hasMarks && (isKnown || isBracket) ? { checked: chosen } : {}),
      ...(multiple && painted !== null ? { checked: painted } : {}),
    },
    from: rows[0]?.row ?? 0,
    to: (rows.at(-1)?.row ?? 0) + 1,
    isSure:
      first.every(({ number }) => number !== null) || options.some((each) => answers.test(each)),
  };
}

/** Returns which of equal marks are painted: the others are dim. Null if none is, or if all are. */
function paintedMarks(choices: readonly Entry[], screen: ShownScreen): readonly number[] | null {
  const isDim = choices.map(({ row, markCol }) => screen.cells(row)[markCol]?.style.dim === true);
  const painted = [...isDim.keys()].filter((index) => isDim[index] === false);
  return painted.length === choices.length ? null : painted;
}

function selectedOf(
  choices: readonly Entry[],
  chosen: readonly number[],
  screen: ShownScreen,
): number | null {
  const pointed = choices.findIndex(({ pointer }) => pointer !== '');
  if (pointed >= 0) return pointed;
  const [marked] = chosen;
  const isChosen = marked !== undefined && chosen.length === 1;
  if (isChosen && choices.some(({ mark }) => /^[○●]/u.test(mark))) return marked;
  const parts = choices.map(({ row, textCol }) => ({ row, from: textCol, to: textCol + 1 }));
  // One choice alone has the background of a list.
  const lit = choices.length > 1 ? emphasized(parts, screen) : null;
  if (lit !== null) return lit;
  // The cursor stands at the mark or before the text, even if it is hidden.
  const { cursor } = screen;
  const at = choices.findIndex(
    ({ row, mark, markCol, textCol }) =>
      mark !== '' && row === cursor.row && cursor.col >= markCol && cursor.col <= textCol,
  );
  if (at >= 0) return at;
  return isChosen && choices.some(({ mark }) => mark.startsWith('(')) ? marked : null;
}

/** A part of a row of the screen. */
export interface Part {
  readonly row: number;
  readonly from: number;
  /** One past the last column. */
  readonly to: number;
}

/** Returns the index of the part that alone is highlighted, or painted otherwise than the others. */
export function emphasized(parts: readonly Part[], screen: ShownScreen): number | null {
  const cells = screen.rows.map((_, row) => screen.cells(row));
  const highlights = highlightsOf(cells);
  const hit = parts.flatMap(({ row, from, to }, index) =>
    highlights.some((each) => each.row === row && each.from < to && each.to > from) ? [index] : [],
  );
  if (hit.length === 1) return hit[0] ?? null;
  const styles = parts.map(({ row, from }) => styleKey(cells[row]?.[from]));
  const alone = styles.flatMap((style, index) =>
    styles.filter((each) => each === style).length === 1 ? [index] : [],
  );
  if (alone.length === 1 && parts.length > 2) return alone[0] ?? null;
  const strong = parts.flatMap(({ row, from }, index) =>
    isStrong(cells[row]?.[from]) ? [index] : [],
  );
  return strong.length === 1 ? (strong[0] ?? null) : null;
}

const styleKey = (cell: Cell | undefined): string => {
  const { fg, bg, bold, dim, underline, inverse }: Partial<Style> = cell?.style ?? {};
  return [fg, bg, bold, dim, underline, inverse].join(' ');
};

const isStrong = (cell: Cell | undefined): boolean =>
  cell !== undefined && (cell.style.underline !== 'none' || cell.style.inverse || cell.style.bold);
