import { randomBytes } from 'node:crypto';
import { type Clock, decodeUtf8 } from '#base';
import {
  asVtrError,
  type InputReceipt,
  isPosixShell,
  isRelay,
  keepsShell,
  looksLikeShellPrompt,
  type OwnActivity,
  printsFishPrompt,
  printsShellPrompt,
  type ReadMark,
} from '#model';
import type { Session, SessionView } from '#session';
import { type StatusQuery, statusQuery } from '#shell';
import { type LineOutput, markNow, steadyPrompt, type TypedPrompt } from '#watch';
import { sendAndWait } from '../waiting/send-and-wait.ts';

/** How long a shell may take to answer, and to show its prompt again, in ms. */
const answerMs = 3_000;
const promptMs = 1_000;

/** What is known of the shell at a prompt. */
interface KnownShell {
  /** The local program that reads the terminal. */
  readonly localPid: number;
  /** The shell's own process ID, perhaps on another machine; null if it did not answer. */
  readonly pid: string | null;
  /** The rows of its prompt above that of the cursor, as it last showed them. */
  readonly above: readonly string[];
}

const knownShells = new WeakMap<Session, KnownShell>();

export interface StatusAnswer {
  /** Null if the line may have started another shell, which answered. */
  readonly exitCode: number | null;
  /** Whether it is known where the output of the line ends and the prompt begins. */
  readonly isAlone: boolean;
  /** The output left of the prompt in its line. */
  readonly left: string;
  /** The output of the line without the prompt; null if it ends where the prompt at which it was typed would begin. */
  readonly output: LineOutput | null;
  readonly mark: ReadMark;
  readonly revision: number;
}

/** Lines that may start another shell, which then shows the prompt. */
const mayStartShell = new RegExp(
  [
    // A shell without a script and without -c.
    '\\b(?:ba|da|z|k|mk|a|fi|c|tc)?sh\\b(?!\\s+(?:-\\w*c\\b|[^-\\s;&|]))',
    '\\bsu\\b(?!.*\\s-c\\b)|\\bsudo\\s+(?:-\\S+\\s+)*(?:-\\w*[is]\\b|--login|--shell|su\\b)',
    '\\b(?:docker|podman|nerdctl|kubectl|incus|lxc)\\b.*\\b(?:exec|run|attach|shell)\\b',
    '\\b(?:ssh|nsenter|chroot|login|newgrp|unshare)\\b|(?:^|[;&|]\\s*)(?:exec|exit|logout)\\b',
  ].join('|'),
);

const unquoted = (line: string): string => line.replace(/'[^']*'|"[^"]*"/g, 'x');

/** The most rows of a prompt above its last one. */
const maxRowsAbove = 8;

/** Returns output that ends `rows` rows above the cursor, with text in the last one. */
export type ReadAbove = (rows: number, endText: string) => LineOutput;

/**
 * Asks the shell at whose prompt a line has ended for its exit status, unseen: see `statusQuery`. Types nothing
 * unless a shell is known to read: the system says so, or the prompt behind ssh or another relay is one that only
 * shells show. See docs/adr/0128.
 *
 * @param type types text and Enter
 * @param read is called before the question erases the prompt
 * @returns null if the status is unknown
 */
export async function askStatus(
  session: Session,
  line: string,
  typedAt: TypedPrompt,
  clock: Clock,
  type: (text: string) => Promise<InputReceipt>,
  read: ReadAbove,
): Promise<StatusAnswer | null> {
  const { view } = session;
  const activity = await session.activity();
  const { text, typed } = view.lineAtCursor();
  const { foreground } = activity.evidence;
  const localPid = foreground?.pid ?? 0;
  const last = knownShells.get(session);
  const shell = last?.localPid === localPid ? last : null;
  if (shell?.pid === null || typed.trim() !== '') return null;
  const shown = { raw: lastOutput(view), pastes: session.bracketedPaste };
  const isSameShell = keepsShell(line) && (shell !== null || looksLikeShellPrompt(typedAt.text));
  if (!isShellPrompt(activity, text, typedAt, { ...shown, isSameShell })) return null;
  const isOneRow = scrollingEditors.test(foreground?.name ?? '');
  const ask = async (start: PromptStart) => {
    const query = queryAt(view, start, isOneRow);
    if (query === null) return null;
    const wait = { match: [query.answer], raw: true, timeoutMs: answerMs };
    const answer = await sendAndWait(session, { wait }, clock, () => type(query.line));
    const isShown = (shown: string) => shown === text || typedAt.endsLike(shown);
    await untilShown(view, clock, isShown);
    return answer.wait?.match?.groups ?? [];
  };
  try {
    const row = lineNow(view);
    const before = rowsOf(view, row - maxRowsAbove, row);
    const high = heightKnown(before, shell);
    let output = high > 0 ? read(high, '') : null;
    // Left of the prompt is output, or the line has changed the prompt.
    const left = high > 0 ? '' : typedAt.outputBefore(text);
    // mksh writes over the end of the row behind output, and busybox draws the line anew when it knows its column.
    if (left !== '' && (isOneRow || foreground?.name === 'busybox')) return null;
    const at = left === '' ? 0 : view.colAfter(row, left.length);
    const answer = await ask({ line: row - high, col: at });
    if (answer === null) return null;
    const [code, pid] = answer;
    if (code == null || pid == null) {
      knownShells.set(session, { localPid, pid: null, above: [] });
      return null;
    }
    const below = lineNow(view) - row;
    // The prompt was in the rows below output that fills whole rows, and is now a line of its own.
    const isApart = below === 1 && at > 0 && at % view.terminal.size.cols === 0;
    const moved = isApart ? 0 : below;
    const above = isApart ? [] : rowsOf(view, row - high, lineNow(view));
    const alone = view.lineAtCursor().text.slice(below > 0 ? 0 : left.length);
    if (moved > 0) above[0] = above[0]?.slice(left.length) ?? '';
    const start = moved > 0 ? startOf(view, before, above, row) : null;
    if (start !== null) {
      output = read(above.length, view.linePart(start.line, { to: start.col }));
      // The rows of the prompt are there twice: another query erases them all.
      await ask(start);
    }
    const end = moved > 0 || high > 0 ? null : outputLeftOf(alone, text);
    if (end !== null && end !== left) {
      output = read(0, end);
      if (!isApart) await ask({ line: row, col: end === '' ? 0 : view.colAfter(row, end.length) });
    }
    const isAlone = moved > 0 ? start !== null : end !== null || left === '';
    knownShells.set(session, { localPid, pid, above: isAlone ? above : [] });
    const isLocal = !isRelay(foreground?.name ?? null);
    const isSame = isLocal || shell?.pid === pid || !mayStartShell.test(unquoted(line));
    return {
      exitCode: isSame ? Number(code) : null,
      isAlone,
      left: below > 0 ? '' : (end ?? left),
      output,
      mark: markNow(view),
      revision: session.revision,
    };
  } catch (error) {
    // A person has taken over, or the program has ended.
    if (['NOT_DRIVER', 'SESSION_NOT_RUNNING'].includes(asVtrError(error).code)) return null;
    throw error;
  }
}

/** Returns how many rows the prompt has above its last one, as far as known from an answer of its shell. */
export async function promptHeight(session: Session): Promise<number> {
  const { view } = session;
  const last = knownShells.get(session);
  const { foreground } = (await session.activity()).evidence;
  if (last === undefined || last.localPid !== foreground?.pid) return 0;
  const row = lineNow(view);
  return heightKnown(rowsOf(view, row - maxRowsAbove, row), last);
}

/**
 * Returns what reads behind ssh or another relay: a POSIX shell, fish, or unknown if the prompt is not one that only
 * shells show.
 *
 * @param prompt the text left of the cursor
 */
export function relayedReader(view: SessionView, prompt: string): 'posix' | 'fish' | 'unknown' {
  const raw = lastOutput(view);
  if (printsFishPrompt(raw)) return 'fish';
  return looksLikeShellPrompt(prompt) || printsShellPrompt(raw) ? 'posix' : 'unknown';
}

function isShellPrompt(
  { state, evidence }: OwnActivity,
  text: string,
  typedAt: TypedPrompt,
  shown: { readonly raw: string; readonly pastes: boolean; readonly isSameShell: boolean },
): boolean {
  const { raw, pastes, isSameShell } = shown;
  const name = evidence.foreground?.name ?? null;
  if (isRelay(name)) {
    if (isSameShell) return true;
    const isSeen = typedAt.isAlike(text) || (pastes && typedAt.endsLike(text));
    return isSeen && (looksLikeShellPrompt(text) || printsShellPrompt(raw));
  }
  const isShell =
    name === 'fish' || (isPosixShell(name) && (name !== 'busybox' || /[$#] $/.test(text)));
  return isShell && evidence.readingTerminal === true && state === 'at_prompt';
}

/** How much of the output before a prompt is looked at, in bytes. */
const maxRaw = 4096;

/** The end of the output since the last input. */
function lastOutput(view: SessionView): string {
  const from = Math.max(view.lastInputAt, view.outputEnd - maxRaw);
  return [...view.rawOutput(from)].map(({ bytes }) => decodeUtf8(bytes)).join('');
}

/** Where a prompt begins: perhaps after output without a line end, in its line. */
interface PromptStart {
  readonly line: number;
  readonly col: number;
}

const lineNow = ({ terminal }: SessionView): number => terminal.linePosition().line;

const rowsOf = (view: SessionView, from: number, to: number): string[] =>
  Array.from({ length: to - Math.max(from, 0) }, (_, index) =>
    (view.writtenText(Math.max(from, 0) + index) ?? '').trimEnd(),
  );

/** Returns how many rows the prompt has above its last one: 0 unless they are shown as before. */
function heightKnown(shown: readonly string[], shell: KnownShell | null): number {
  const above = shell?.above ?? [];
  const rows = shown.slice(shown.length - above.length);
  const isAlike = above.every(
    (text, index) => steadyPrompt(text) === steadyPrompt(rows[index] ?? ' x'),
  );
  return isAlike ? above.length : 0;
}

/**
 * Returns where the prompt began that a line ended at, from the rows above the last one of the same prompt alone;
 * null if they differ.
 *
 * @param before the rows above the line `row` when the line had ended
 */
function startOf(
  view: SessionView,
  before: readonly string[],
  above: readonly string[],
  row: number,
): PromptStart | null {
  if (above.length > before.length) return null;
  const shown = before.slice(before.length - above.length);
  const [first = '', ...more] = shown;
  const [alone = '', ...rest] = above;
  if (more.some((text, index) => numbered(text) !== numbered(rest[index] ?? ''))) return null;
  const line = row - above.length;
  const length = first.length - alone.length;
  if (length < 0 || numbered(first.slice(length)) !== numbered(alone)) return null;
  const written = view.writtenText(line) ?? '';
  return { line, col: view.colAfter(line, alone === '' ? written.length : length) };
}

/**
 * Returns the output left of a prompt in its line; null if unknown.
 *
 * @param alone the same prompt without output
 */
function outputLeftOf(alone: string, text: string): string | null {
  if (alone.trim() === '') return null;
  const length = text.length - alone.length;
  if (length >= 0 && numbered(text.slice(length)) === numbered(alone)) return text.slice(0, length);
  return steadyPrompt(text) === steadyPrompt(alone) ? '' : null;
}

/** A prompt may show the time, or count. */
const numbered = (text: string): string => text.replace(/\p{N}/gu, '0');

/** Shells whose line stays in one row. That of ksh93, which Linux and macOS have as ksh, wraps. */
const scrollingEditors = /^(?:mk|lk|ok|lok|pdk)sh$/;

function queryAt(view: SessionView, start: PromptStart, isOneRow: boolean): StatusQuery | null {
  const { cols, rows } = view.terminal.size;
  const { line, col } = view.terminal.linePosition();
  let rowsAbove = Math.floor(col / cols) - Math.floor(start.col / cols);
  for (let each = start.line; each < line; each++) {
    const width = view.colAfter(each, view.writtenText(each)?.length ?? 0);
    rowsAbove += Math.max(1, Math.ceil(width / cols));
  }
  const place = { col: col % cols, cols, rows, rowsAbove, startCol: start.col % cols, isOneRow };
  return statusQuery(randomBytes(4).toString('hex'), place);
}

/** Waits until the prompt is shown again, for a limited time. */
function untilShown(
  view: SessionView,
  clock: Clock,
  isPrompt: (text: string) => boolean,
): Promise<void> {
  const isShown = () => isPrompt(view.lineAtCursor().text) || view.exitStatus !== null;
  return new Promise((resolve) => {
    const end = () => {
      events.dispose();
      timer.dispose();
      resolve();
    };
    const check = () => {
      if (isShown()) end();
    };
    const timer = clock.schedule(promptMs, end);
    const events = view.onEvent(check);
    check();
  });
}
