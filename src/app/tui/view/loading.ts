import type { CommandRecord } from '#model';
import { settled, topAt } from './moving.ts';
import {
  type Body,
  type Frozen,
  type LedgerWish,
  pageLines,
  pageOf,
  type Scroll,
  type ViewLine,
  withPage,
} from './scroll.ts';
import { aimed, sought } from './searching.ts';
import { type Effect, type Step, step, type ViewState, withNotice } from './view-state.ts';

/** Lines above and below those that are seen that are read before they are needed. */
const margin = 250;

/** The rows for lines; the last one of the window says where they are. */
export const bodyOf = ({ window }: ViewState): Body => ({
  cols: window.cols,
  rows: Math.max(1, window.rows - 1),
});

/** Returns the state with a changed scroll mode, and requests the lines that it needs. */
export function shown(state: ViewState, scroll: Scroll, ...effects: readonly Effect[]): Step {
  const body = bodyOf(state);
  const next = sought(settled(scroll, body), body);
  const missing = missingPages(next, body);
  const pending = new Set([...next.requests, ...missing]);
  const reads = missing.map((page): Effect => {
    const from = page * pageLines;
    return { type: 'readLines', from, to: Math.min(from + pageLines, next.frozen.from) };
  });
  return step({ ...state, scroll: { ...next, requests: pending } }, ...effects, ...reads);
}

/** Nearest first. */
function missingPages(
  { top, owed, frozen, first, pages, requests }: Scroll,
  { rows }: Body,
): number[] {
  const from = Math.max(first, Math.min(top.line, top.line + owed) - margin);
  const to = Math.min(frozen.from, Math.max(top.line, top.line + owed) + rows + margin);
  const missing: number[] = [];
  for (let page = pageOf(from); page * pageLines < to; page++) {
    if (!pages.has(page) && !requests.has(page)) missing.push(page);
  }
  const distance = (page: number) => Math.abs(page - pageOf(top.line));
  return missing.sort((a, b) => distance(a) - distance(b)).slice(0, 8);
}

/** Adds lines that were read. */
export function withLines(
  scroll: Scroll,
  from: number,
  lines: readonly ViewLine[],
  first: number,
  body: Body,
): Scroll {
  const page = pageOf(from);
  const pending = new Set(scroll.requests);
  pending.delete(page);
  const line = scroll.selection?.anchor.line ?? null;
  const pages = withPage(scroll.pages, page, lines, scroll.top.line, line);
  const read = { ...scroll, pages, requests: pending, first: Math.max(scroll.first, first) };
  return aimed(settled(read, body), body);
}

/** Returns scroll mode at the screen that was frozen. */
export function initialScroll(frozen: Frozen, cols: number): Scroll {
  const scroll = unplaced(frozen);
  return { ...scroll, top: topAt(scroll, frozen.top, cols) };
}

const unplaced = (frozen: Frozen): Scroll => ({
  frozen,
  first: 0,
  pages: new Map(),
  requests: new Set(),
  commands: null,
  wish: null,
  top: { line: frozen.top.line, row: 0 },
  owed: 0,
  cursor: frozen.top,
  goalCol: 0,
  selection: null,
  search: null,
  copying: null,
  endsWithButton: false,
  leavesAtEnd: false,
  isByWheel: false,
  count: null,
  awaits: null,
  lastFind: null,
});

/** Replaces the frozen screen by a newer one. Lines that have left the screen are read again. */
export function refrozen(scroll: Scroll, frozen: Frozen): Scroll {
  const changed = pageOf(Math.min(scroll.frozen.from, frozen.from));
  const pages = new Map([...scroll.pages].filter(([page]) => page < changed));
  const { search } = scroll;
  return {
    ...scroll,
    frozen,
    pages,
    requests: new Set(),
    commands: null,
    // What was found may have left the screen.
    search: search === null ? null : { ...search, lines: [], isDone: false, seek: null },
  };
}

/** Jumps to a prompt, or copies the output below it; the ledger is read first. */
export function withWish(state: ViewState, scroll: Scroll, wish: LedgerWish): Step {
  const { commands } = scroll;
  if (commands !== null) return fulfilled(state, scroll, commands, wish);
  return step({ ...state, scroll: { ...scroll, wish } }, { type: 'commands' });
}

/** The ledger has been read. */
export function withCommands(
  state: ViewState,
  scroll: Scroll,
  commands: readonly CommandRecord[],
): Step {
  const base = { ...scroll, commands, wish: null };
  const { wish } = scroll;
  return wish === null ? step({ ...state, scroll: base }) : fulfilled(state, base, commands, wish);
}

function fulfilled(
  state: ViewState,
  scroll: Scroll,
  commands: readonly CommandRecord[],
  wish: LedgerWish,
): Step {
  const refuse = (text: string) => step(withNotice({ ...state, scroll }, text));
  if (commands.length === 0) return refuse('no prompts: the shell does not report its commands');
  const { line } = scroll.cursor;
  if (wish === 'output') {
    const command = commands.findLast((one) => (promptLine(one) ?? Infinity) <= line);
    if (command === undefined) return refuse('no command here');
    return step(
      { ...withUnverifiedNotice(state, command), scroll },
      { type: 'copyOutput', command: command.number },
    );
  }
  const prompts = commands.flatMap((one) => promptLine(one) ?? []);
  const prompt =
    wish === 'next' ? prompts.find((at) => at > line) : prompts.findLast((at) => at < line);
  if (prompt === undefined) return refuse(`no ${wish === 'next' ? 'later' : 'earlier'} prompt`);
  const cursor = { line: prompt, col: 0 };
  return shown(withUnverifiedNotice(state, commands[0]), {
    ...scroll,
    cursor,
    goalCol: 0,
    top: { line: prompt, row: 0 },
    owed: 0,
  });
}

/** All commands of a session are verified, or none is. */
const withUnverifiedNotice = (state: ViewState, command: CommandRecord | undefined): ViewState =>
  command?.unverified
    ? withNotice(state, 'unverified: any output can contain the marks of these prompts')
    : state;

/** Returns the line of a command's prompt, above its output; null on the alternate screen. */
function promptLine({ from: { line, col } }: CommandRecord): number | null {
  if (line === null) return null;
  return col === 0 ? Math.max(0, line - 1) : line;
}
