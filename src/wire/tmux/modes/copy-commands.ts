import { TmuxError } from '../tmux-error.ts';
import type { CopyMode, Search } from './copy-mode.ts';

/** Copy mode as a command of it finds it. */
export interface CopyCommand {
  readonly mode: CopyMode;
  /** The words after the command. */
  readonly words: readonly string[];
  /** How often it is done. */
  readonly times: number;
  /** Whether the option `mode-keys` is vi. */
  readonly isVi: boolean;
  readonly wrapsSearch: boolean;
  readonly separators: string;
  /** Keeps a text in a buffer; `isAppended` adds it to the latest one. */
  readonly keep: (text: string, isAppended: boolean) => void;
  /** Gives a text to a shell command. */
  readonly pipe: (text: string, command: string) => void;
  /** The option `copy-command`. */
  readonly usualPipe: string;
  /** Ends the mode. */
  readonly leave: () => void;
}

type Run = (command: CopyCommand) => void | Promise<void>;

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

/** Leaves the mode where nothing is below. */
const downThenLeave =
  (act: (command: CopyCommand) => void): Run =>
  (command) => {
    repeated(act)(command);
    if (command.mode.offset === 0) command.leave();
  };

function copy({ mode, isVi, keep }: CopyCommand, isAppended: boolean): void {
  const text = mode.selectedText(isVi);
  if (text !== '') keep(text, isAppended);
}

const copyAndClear: Run = (command) => {
  copy(command, false);
  command.mode.selection = null;
};

const appendAndClear: Run = (command) => {
  copy(command, true);
  command.mode.selection = null;
};

/** Gives the selection to a command, or to that of the option `copy-command`. */
const piping =
  (isCopied: boolean): Run =>
  (command) => {
    const text = command.mode.selectedText(command.isVi);
    const [given = ''] = command.words;
    const shell = given === '' ? command.usualPipe : given;
    if (text === '') return;
    if (shell !== '') command.pipe(text, shell);
    if (isCopied) command.keep(text, false);
  };

const thenClear =
  (run: Run): Run =>
  async (command) => {
    await run(command);
    command.mode.selection = null;
  };

/** Copies from the cursor, or from the beginning of its line, to the end of it. */
const copyLine =
  (isWhole: boolean): Run =>
  ({ mode, keep, times }) => {
    const { grid, place } = mode;
    const start = isWhole ? grid.startOfLine(place) : place;
    const { x, y } = start;
    let text = '';
    const last = Math.min(grid.last, grid.endOfLine(start, false).y + times - 1);
    for (let row = y; row <= last; row++) {
      text += grid.text(row, row === y ? x : 0);
      if (!grid.isWrapped(row) && row < last) text += '\n';
    }
    if (text !== '') keep(text, false);
    mode.selection = null;
  };

async function search(command: CopyCommand, asked: Search): Promise<void> {
  const { mode, times, wrapsSearch, isVi } = command;
  if (asked.pattern === '') return;
  for (let done = 0; done < Math.min(times, 1_000); done++) {
    if (!(await mode.find(asked, wrapsSearch, isVi))) return;
  }
}

const searching =
  (isBackward: boolean, isRegex: boolean): Run =>
  (command) => {
    const [pattern = command.mode.search?.pattern ?? ''] = command.words;
    command.mode.search = { pattern, isBackward, isRegex };
    return search(command, command.mode.search);
  };

const again =
  (isReversed: boolean): Run =>
  async (command) => {
    const { search: last } = command.mode;
    if (last === null) return;
    await search(command, { ...last, isBackward: last.isBackward !== isReversed });
  };

const downPage = (isHalf: boolean) => repeated(({ mode }) => mode.page(-1, isHalf));

function selectLine({ mode, times }: CopyCommand): void {
  const { grid } = mode;
  mode.isRectangle = false;
  mode.goTo(grid.startOfLine(mode.place));
  mode.beginSelection();
  for (let more = 1; more < Math.min(times, grid.last); more++) mode.step(1);
  mode.goTo(grid.endOfLine(mode.place, false));
}

function selectWord({ mode, separators, isVi }: CopyCommand): void {
  const { grid } = mode;
  mode.isRectangle = false;
  const start = grid.previousWord(mode.place, separators, false);
  mode.goTo(start);
  mode.beginSelection();
  const next = { x: start.x + 1, y: start.y };
  if (grid.isBlank(next)) {
    if (!isVi) mode.goTo(next);
    return;
  }
  const end = grid.nextWordEnd(start, separators);
  mode.goTo(isVi ? { x: end.x - 1, y: end.y } : end);
}

/** A paragraph ends at an empty row. */
function paragraph({ mode }: CopyCommand, step: 1 | -1): void {
  const { grid, place } = mode;
  const last = step === 1 ? grid.last : 0;
  let { y } = place;
  while (y !== last && grid.lengthOf(y) === 0) y += step;
  while (y !== last && grid.lengthOf(y) > 0) y += step;
  mode.goTo({ x: step === 1 ? grid.lengthOf(y) : 0, y });
}

function wordEnd({ mode, isVi }: CopyCommand, separators: string): void {
  const { grid, place } = mode;
  const from = isVi && !grid.isBlank(place) ? grid.right(place, false) : place;
  const { x, y } = grid.nextWordEnd(from, separators);
  mode.goTo({ x: isVi ? Math.max(0, x - 1) : x, y });
}

function goToOffset({ mode, words: [given = ''] }: CopyCommand): void {
  if (!/^-?\d+$/.test(given)) return;
  const offset = Number(given);
  mode.show(offset < 0 || offset > mode.grid.above ? mode.grid.above : offset);
}

/** The commands of `send-keys -X`. */
const commands: Readonly<Record<string, Run>> = {
  'append-selection': appendAndClear,
  'append-selection-and-cancel': thenLeave(appendAndClear),
  'back-to-indentation': ({ mode }) => mode.goTo(mode.grid.indentation(mode.place)),
  'begin-selection': ({ mode }) => mode.beginSelection(),
  'bottom-line': ({ mode }) => mode.goToRow(mode.grid.rows - 1),
  cancel: ({ leave }) => leave(),
  'clear-selection': ({ mode }) => {
    mode.selection = null;
  },
  'copy-end-of-line': copyLine(false),
  'copy-end-of-line-and-cancel': thenLeave(copyLine(false)),
  'copy-line': copyLine(true),
  'copy-line-and-cancel': thenLeave(copyLine(true)),
  'copy-pipe': thenClear(piping(true)),
  'copy-pipe-and-cancel': thenLeave(piping(true)),
  'copy-pipe-no-clear': piping(true),
  'copy-selection': copyAndClear,
  'copy-selection-and-cancel': thenLeave(copyAndClear),
  'copy-selection-no-clear': (command) => copy(command, false),
  'cursor-down': repeated(({ mode }) => mode.step(1)),
  'cursor-down-and-cancel': (command) => {
    const before = command.mode.place.y;
    repeated(({ mode }) => mode.step(1))(command);
    if (command.mode.place.y === before && command.mode.offset === 0) command.leave();
  },
  'cursor-left': repeated(({ mode }) => mode.goTo(mode.grid.left(mode.place))),
  'cursor-right': repeated(({ mode }) =>
    mode.goTo(mode.grid.right(mode.place, mode.isRectangle && mode.selection !== null)),
  ),
  'cursor-up': repeated(({ mode }) => mode.step(-1)),
  'end-of-line': ({ mode }) =>
    mode.goTo(mode.grid.endOfLine(mode.place, mode.isRectangle && mode.selection !== null)),
  'goto-line': goToOffset,
  'halfpage-down': downPage(true),
  'halfpage-down-and-cancel': downThenLeave(({ mode }) => mode.page(-1, true)),
  'halfpage-up': repeated(({ mode }) => mode.page(1, true)),
  'history-bottom': ({ mode }) =>
    mode.goTo({ x: mode.grid.lengthOf(mode.grid.last), y: mode.grid.last }),
  'history-top': ({ mode }) => mode.goTo({ x: 0, y: 0 }),
  'jump-to-mark': ({ mode }) => {
    const { mark, place } = mode;
    if (mark === null) return;
    mode.mark = place;
    mode.goTo(mark);
  },
  'middle-line': ({ mode }) => mode.goToRow(Math.floor((mode.grid.rows - 1) / 2)),
  'next-paragraph': repeated((command) => paragraph(command, 1)),
  'next-space': repeated(({ mode }) => mode.goTo(mode.grid.nextWord(mode.place, ''))),
  'next-space-end': repeated((command) => wordEnd(command, '')),
  'next-word': repeated(({ mode, separators }) =>
    mode.goTo(mode.grid.nextWord(mode.place, separators)),
  ),
  'next-word-end': repeated((command) => wordEnd(command, command.separators)),
  'other-end': ({ mode, times }) => {
    if (times % 2 === 1) mode.swapEnds();
  },
  'page-down': downPage(false),
  'page-down-and-cancel': downThenLeave(({ mode }) => mode.page(-1, false)),
  'page-up': repeated(({ mode }) => mode.page(1, false)),
  pipe: thenClear(piping(false)),
  'pipe-and-cancel': thenLeave(piping(false)),
  'pipe-no-clear': piping(false),
  'previous-paragraph': repeated((command) => paragraph(command, -1)),
  'previous-space': repeated(({ mode }) => mode.goTo(mode.grid.previousWord(mode.place, '', true))),
  'previous-word': repeated(({ mode, separators }) =>
    mode.goTo(mode.grid.previousWord(mode.place, separators, true)),
  ),
  'rectangle-off': ({ mode }) => {
    mode.isRectangle = false;
  },
  'rectangle-on': ({ mode }) => {
    mode.isRectangle = true;
  },
  'rectangle-toggle': ({ mode }) => {
    mode.isRectangle = !mode.isRectangle;
  },
  'scroll-down': repeated(({ mode }) => mode.scroll(-1)),
  'scroll-down-and-cancel': downThenLeave(({ mode }) => mode.scroll(-1)),
  'scroll-up': repeated(({ mode }) => mode.scroll(1)),
  'search-again': again(false),
  'search-backward': searching(true, true),
  'search-backward-text': searching(true, false),
  'search-forward': searching(false, true),
  'search-forward-text': searching(false, false),
  'search-reverse': again(true),
  'select-line': selectLine,
  'select-word': selectWord,
  'set-mark': ({ mode }) => {
    mode.mark = mode.place;
  },
  'start-of-line': ({ mode }) => mode.goTo(mode.grid.startOfLine(mode.place)),
  'stop-selection': ({ mode }) => {
    if (mode.selection !== null) mode.selection = { ...mode.selection, moves: null };
  },
  'top-line': ({ mode }) => mode.goToRow(0),
};

/** Commands of copy mode in tmux 3.3a that are not there. It ignores all other words. */
const unsupported =
  /^(copy-pipe-(end-of-)?line|jump-(again|backward|forward|reverse|to-backward|to-forward)|(next|previous)-matching-bracket|refresh-from-pane|search-(backward|forward)-incremental|toggle-position)/;

/** After these, the matches of a search stay marked. */
const keepsMatches = /^(search-|scroll-|(copy-selection|copy-pipe|pipe)-no-clear$)/;

/** Runs a command of copy mode. An unknown one does nothing, as in tmux. @throws TmuxError */
export async function runCopyCommand(name: string, command: CopyCommand): Promise<void> {
  if (unsupported.test(name)) {
    throw new TmuxError(`vtr does not support the command ${name} of copy mode`);
  }
  const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (run === undefined) return;
  await run(command);
  if (!keepsMatches.test(name)) command.mode.shown = null;
}
