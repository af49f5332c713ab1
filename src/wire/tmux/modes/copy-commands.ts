import {
  appendText,
  type CopyCommand,
  copyLine,
  copyText,
  pipeText,
  type Run,
  thenClear,
} from './copied-text.ts';
import type { CopyGrid, Place } from './copy-grid.ts';
import type { CopyMode } from './copy-mode.ts';

/** A command, and how many words may follow it. */
interface Entry {
  readonly run: Run;
  readonly least: number;
  readonly most: number;
  /** Whether the matches of a search stay marked after it: `vi` if only with `mode-keys vi`. */
  readonly keepsMatches: boolean | 'vi';
}

const entry = (run: Run, keepsMatches: Entry['keepsMatches'], least = 0, most = least): Entry => ({
  run,
  least,
  most,
  keepsMatches,
});

/** A step of the cursor. */
const step = (run: Run, least = 0, most = least): Entry => entry(run, 'vi', least, most);

const other = (run: Run, least = 0, most = least): Entry => entry(run, false, least, most);

/** A search, which marks its own matches. */
const search = (run: Run, least: number, most: number): Entry => entry(run, true, least, most);

/** A command that is done as often as it is asked for. */
const repeated =
  (act: (command: CopyCommand) => void): Run =>
  (command) => {
    for (let done = 0; done < Math.min(command.times, 100_000); done++) act(command);
  };

const thenLeave =
  (run: Run): Run =>
  async (command) => {
    await run(command);
    command.leave();
  };

/** Moves by pages until the end is shown, where the mode may end. */
const pagesDown =
  (isHalf: boolean, { endsBelow }: { readonly endsBelow: boolean }): Run =>
  ({ mode, times, leave }) => {
    for (let done = 0; done < Math.min(times, 100_000); done++) {
      mode.page(-1, isHalf);
      if ((endsBelow || mode.endsBelow) && mode.offset === 0) return leave();
    }
  };

const scrollDown =
  (endsBelow: boolean): Run =>
  (command) => {
    const { mode, leave } = command;
    repeated(() => mode.step(1, true))(command);
    if ((endsBelow || mode.endsBelow) && mode.offset === 0) leave();
  };

async function find({ mode, times }: CopyCommand, isBackward: boolean): Promise<void> {
  for (let done = 0; done < Math.min(times, 1_000); done++) await mode.find(isBackward);
}

const searching =
  (isBackward: boolean, { isRegex }: { readonly isRegex: boolean }): Run =>
  async (command) => {
    const [word = ''] = command.words;
    const pattern = command.isFormat ? await command.expand(word) : word;
    if (pattern === '') return;
    command.mode.search = { pattern, isBackward, isRegex };
    await find(command, isBackward);
  };

/** A search whose text grows: the first character says where it goes on. */
const incremental =
  (isBackward: boolean): Run =>
  async ({ mode, words: [word = ''] }) => {
    const [sign = '', pattern] = [word.slice(0, 1), word.slice(1)];
    const { searchFrom: from, search: last } = mode;
    if (from === null) mode.searchFrom = { x: mode.x, y: mode.y, offset: mode.offset };
    else if (last !== null && last.pattern !== pattern) {
      mode.x = from.x;
      mode.y = from.y;
      mode.show(from.offset);
    }
    const goesBack = sign === '=' ? isBackward : sign === '-';
    if (pattern !== '' && !goesBack && sign !== '=' && sign !== '+') return;
    mode.search = pattern === '' ? last : { pattern, isBackward: goesBack, isRegex: false };
    if (pattern === '' || !(await mode.find(goesBack))) mode.shown = null;
  };

const again =
  (isReversed: boolean): Run =>
  async (command) => {
    const { search: last } = command.mode;
    if (last !== null) await find(command, last.isBackward !== isReversed);
  };

/** A paragraph ends at an empty row. */
const paragraph = (by: 1 | -1): Run =>
  repeated(({ mode }) => {
    const { grid, place } = mode;
    const last = by === 1 ? grid.last : 0;
    let { y } = place;
    while (y !== last && grid.lengthOf(y) === 0) y += by;
    while (y !== last && grid.lengthOf(y) > 0) y += by;
    mode.jumpTo({ x: by === 1 ? grid.lengthOf(y) : 0, y });
  });

function goToOffset({ mode, words: [word = ''] }: CopyCommand): void {
  if (!/^\s*[-+]?\d+$/.test(word)) return;
  const offset = Number(word);
  if (offset < -1 || offset > 2_147_483_647) return;
  mode.show(offset < 0 || offset > mode.grid.above ? mode.grid.above : offset);
}

/** Goes to the jump character, or to the place before it. */
function jump(
  { mode, times }: CopyCommand,
  { isReversed }: { readonly isReversed: boolean },
): void {
  if (mode.jump === null) return;
  const { character, isTo } = mode.jump;
  const { grid } = mode;
  const isBackward = mode.jump.isBackward !== isReversed;
  for (let done = 0; done < Math.min(times, 100_000); done++) {
    const { x, y } = mode.place;
    if (isBackward) {
      const from = grid.left(mode.place, false);
      const target = grid.previousOf(character, isTo ? grid.left(from, false) : from);
      if (target !== null) mode.goTo(isTo ? grid.right(target, false) : target);
    } else {
      const target = grid.nextOf(character, { x: x + (isTo ? 2 : 1), y });
      if (target !== null) mode.goTo(isTo ? grid.left(target) : target);
    }
  }
}

const jumping = (isBackward: boolean, { isTo }: { readonly isTo: boolean }): Entry =>
  step((command) => {
    const [word = ''] = command.words;
    const [character] = word;
    if (character === undefined) return;
    command.mode.jump = { character, isBackward, isTo };
    jump(command, { isReversed: false });
  }, 1);

const bracket = (by: 1 | -1): Entry => other(repeated(({ mode }) => otherBracket(mode, by)));

const isRectangle = ({ selection, isRectangle: isOn }: CopyMode) => selection !== null && isOn;

const opening = '{[(';

const closing = '}])';

/** The commands of `send-keys -X`. */
const commands: Readonly<Record<string, Entry>> = {
  'append-selection': other(thenClear(appendText)),
  'append-selection-and-cancel': other(thenLeave(thenClear(appendText))),
  'back-to-indentation': other(({ mode }) => mode.goTo(mode.grid.indentation(mode.place))),
  'begin-selection': other(({ mode }) => mode.beginSelection()),
  'bottom-line': step(({ mode }) => mode.goToRow(mode.grid.rows - 1)),
  cancel: other(({ leave }) => leave()),
  'clear-selection': other(({ mode }) => mode.clearSelection()),
  'copy-end-of-line': other(copyLine(false, copyText), 0, 1),
  'copy-end-of-line-and-cancel': other(thenLeave(copyLine(false, copyText)), 0, 1),
  'copy-pipe-end-of-line': other(copyLine(false, pipeText(true)), 0, 2),
  'copy-pipe-end-of-line-and-cancel': other(thenLeave(copyLine(false, pipeText(true))), 0, 2),
  'copy-line': other(copyLine(true, copyText), 0, 1),
  'copy-line-and-cancel': other(thenLeave(copyLine(true, copyText)), 0, 1),
  'copy-pipe-line': other(copyLine(true, pipeText(true)), 0, 2),
  'copy-pipe-line-and-cancel': other(thenLeave(copyLine(true, pipeText(true))), 0, 2),
  'copy-pipe-no-clear': entry(pipeText(true), true, 0, 2),
  'copy-pipe': other(thenClear(pipeText(true)), 0, 2),
  'copy-pipe-and-cancel': other(thenLeave(thenClear(pipeText(true))), 0, 2),
  'copy-selection-no-clear': entry(copyText, true, 0, 1),
  'copy-selection': other(thenClear(copyText), 0, 1),
  'copy-selection-and-cancel': other(thenLeave(thenClear(copyText)), 0, 1),
  'cursor-down': step(repeated(({ mode }) => mode.step(1))),
  'cursor-down-and-cancel': other((command) => {
    const { mode } = command;
    const before = mode.y;
    repeated(() => mode.step(1))(command);
    if (mode.y === before && mode.offset === 0) command.leave();
  }),
  'cursor-left': step(repeated(({ mode }) => mode.goTo(mode.grid.left(mode.place)))),
  'cursor-right': step(
    repeated(({ mode }) => mode.goTo(mode.grid.right(mode.place, isRectangle(mode)))),
  ),
  'cursor-up': step(repeated(({ mode }) => mode.step(-1))),
  'end-of-line': step(({ mode }) => mode.endOfLine()),
  'goto-line': step(goToOffset, 1),
  'halfpage-down': step(pagesDown(true, { endsBelow: false })),
  'halfpage-down-and-cancel': other(pagesDown(true, { endsBelow: true })),
  'halfpage-up': step(repeated(({ mode }) => mode.page(1, true))),
  'history-bottom': step(({ mode }) => mode.goToEnd(false)),
  'history-top': step(({ mode }) => mode.goToEnd(true)),
  'jump-again': step((command) => jump(command, { isReversed: false })),
  'jump-backward': jumping(true, { isTo: false }),
  'jump-forward': jumping(false, { isTo: false }),
  'jump-reverse': step((command) => jump(command, { isReversed: true })),
  'jump-to-backward': jumping(true, { isTo: true }),
  'jump-to-forward': jumping(false, { isTo: true }),
  'jump-to-mark': other(({ mode }) => mode.goToMark()),
  'middle-line': step(({ mode }) => mode.goToRow(Math.floor((mode.grid.rows - 1) / 2))),
  'next-matching-bracket': bracket(1),
  'next-paragraph': step(paragraph(1)),
  'next-space': step(repeated(({ mode }) => mode.goTo(mode.grid.nextWord(mode.place, '')))),
  'next-space-end': step(repeated(({ mode }) => mode.goTo(mode.wordEnd('')))),
  'next-word': step(
    repeated(({ mode }) => mode.goTo(mode.grid.nextWord(mode.place, mode.options.separators))),
  ),
  'next-word-end': step(repeated(({ mode }) => mode.goTo(mode.wordEnd(mode.options.separators)))),
  'other-end': step(({ mode, times }) => {
    mode.endUnit();
    if (times % 2 === 1) mode.swapEnds();
  }),
  'page-down': step(pagesDown(false, { endsBelow: false })),
  'page-down-and-cancel': other(pagesDown(false, { endsBelow: true })),
  'page-up': step(repeated(({ mode }) => mode.page(1, false))),
  'pipe-no-clear': entry(pipeText(false), true, 0, 1),
  pipe: other(thenClear(pipeText(false)), 0, 1),
  'pipe-and-cancel': other(thenLeave(thenClear(pipeText(false))), 0, 1),
  'previous-matching-bracket': bracket(-1),
  'previous-paragraph': step(paragraph(-1)),
  'previous-space': step(
    repeated(({ mode }) => mode.goTo(mode.grid.previousWord(mode.place, '', true))),
  ),
  'previous-word': step(
    repeated(({ mode }) =>
      mode.goTo(mode.grid.previousWord(mode.place, mode.options.separators, true)),
    ),
  ),
  'rectangle-off': other(({ mode }) => mode.setRectangle(false)),
  'rectangle-on': other(({ mode }) => mode.setRectangle(true)),
  'rectangle-toggle': other(({ mode }) => mode.setRectangle(!mode.isRectangle)),
  'refresh-from-pane': other(({ refresh }) => refresh()),
  'scroll-down': step(scrollDown(false)),
  'scroll-down-and-cancel': other(scrollDown(true)),
  'scroll-up': step(repeated(({ mode }) => mode.step(-1, true))),
  'search-again': search(again(false), 0, 0),
  'search-backward': search(searching(true, { isRegex: true }), 0, 1),
  'search-backward-incremental': search(incremental(true), 1, 1),
  'search-backward-text': search(searching(true, { isRegex: false }), 0, 1),
  'search-forward': search(searching(false, { isRegex: true }), 0, 1),
  'search-forward-incremental': search(incremental(false), 1, 1),
  'search-forward-text': search(searching(false, { isRegex: false }), 0, 1),
  'search-reverse': search(again(true), 0, 0),
  'select-line': other(({ mode, times }) => mode.selectLine(times)),
  'select-word': other(({ mode }) => mode.selectWord()),
  'set-mark': other(({ mode }) => mode.setMark()),
  'start-of-line': step(({ mode }) => mode.startOfLine()),
  'stop-selection': other(({ mode }) => mode.stopSelection()),
  'toggle-position': entry(({ mode }) => {
    mode.isPositionHidden = !mode.isPositionHidden;
  }, true),
  'top-line': step(({ mode }) => mode.goToRow(0)),
};

/** Runs a command of copy mode. As in tmux, an unknown one, or one with too many words, does nothing. */
export async function runCopyCommand(name: string, command: CopyCommand): Promise<void> {
  const { mode, words } = command;
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined || words.length < entry.least || words.length > entry.most) return;
  await entry.run(command);
  const { keepsMatches } = entry;
  if (keepsMatches === true || (keepsMatches === 'vi' && mode.options.isVi)) return;
  if (mode.shown === null) return;
  mode.shown = null;
  mode.searchFrom = null;
}

/**
 * Goes to the bracket that belongs to the one at the cursor, or next to it. Without one, with `mode-keys emacs` it
 * goes on to the next word or back to the last one; with vi, to the next opening bracket of the line.
 */
function otherBracket(mode: CopyMode, by: 1 | -1): void {
  const { grid, place, options } = mode;
  if (grid.lengthOf(place.y) === 0) return;
  const own = by === 1 ? opening : closing;
  const isOwn = (at: Place) => own.includes(grid.cellAt(at) || ' ');
  if (by === 1 && options.isVi) {
    nextOfVi(mode);
    return;
  }
  const beside = { x: place.x + by, y: place.y };
  const hasBeside = by === 1 ? place.x <= grid.lengthOf(place.y) : place.x > 0;
  const from = isOwn(place) ? place : hasBeside && !options.isVi && isOwn(beside) ? beside : null;
  if (from !== null) {
    const target = partner(grid, from, by);
    if (target !== null) mode.jumpTo(target);
  } else if (!options.isVi) {
    mode.goTo(by === 1 ? mode.wordEnd(opening) : grid.previousWord(place, closing, true));
  }
}

/** The bracket that belongs to the next one of the line; a closing one leads back. */
function nextOfVi(mode: CopyMode): void {
  const { grid } = mode;
  const { y: last } = grid.endOfLine(mode.place, false);
  let { x, y } = mode.place;
  for (;;) {
    const cell = grid.cellAt({ x, y }) || ' ';
    const by = closing.includes(cell) ? -1 : opening.includes(cell) ? 1 : 0;
    if (by !== 0) {
      const target = partner(grid, { x, y }, by);
      if (target !== null) mode.jumpTo(target);
      return;
    }
    if (x <= grid.lengthOf(y)) x++;
    else if (y === last) return;
    else [x, y] = [0, y + 1];
  }
}

/** The bracket that belongs to one; null if there is none. */
function partner(grid: CopyGrid, from: Place, by: 1 | -1): Place | null {
  const own = grid.cellAt(from);
  const [ownSet, otherSet] = by === 1 ? [opening, closing] : [closing, opening];
  const partner = otherSet[ownSet.indexOf(own)] ?? '';
  let { x, y } = from;
  for (let depth = 1; depth > 0; ) {
    x += by;
    while (by === 1 ? x > grid.lengthOf(y) : x < 0) {
      y += by;
      if (y < 0 || y > grid.last) return null;
      x = by === 1 ? 0 : grid.lengthOf(y) - 1;
    }
    const cell = grid.cellAt({ x, y });
    if (cell === own) depth++;
    else if (cell === partner) depth--;
  }
  return { x, y };
}
