import { defined } from '#base';
import {
  isKeyDriven,
  isMultiplexer,
  isProgramPrompt,
  isRelay,
  looksLikeProgress,
  looksLikeQuestion,
  menuText,
  type OwnActivity,
  ownPaceMs,
} from '#model';
import { questionId, questionOnScreen, type ShownQuestion } from '../asking/question-on-screen.ts';
import { characterEnd } from '../character-borders.ts';
import type { Watched } from '../watched.ts';
import type { ConditionMet } from './wait.ts';

/** The silence that is needed if nothing but input can make the program continue, in ms. */
export const blockedMs = 30;
/**
 * The silence that is needed if the program reads its terminal, and may continue without input: after a
 * timeout, or by another thread or a child. In ms.
 */
export const readingMs = 300;
/**
 * The silence that is needed if the system does not report that the program reads its terminal only, in
 * ms.
 */
export const unsureMs = 1_000;
/** The most characters of a question, in UTF-16 code units. */
const maxQuestion = 1_000;
/** The lines above the cursor that are searched for a question, and how many of them are read at a time. */
const maxLinesAbove = 50;
const linesAtOnce = 4;

/**
 * Returns the question of a program that waits for input, also if it is a prompt. Null if no program
 * waits, or if that is not certain after `quietMs` of silence.
 */
export function questionAsked(
  activity: OwnActivity,
  quietMs: number,
  watched: Watched,
): ConditionMet | null {
  const shown = shownQuestion(activity, watched);
  // After an input without an answer, the program may not have read it yet.
  const stillMs = watched.outputEnd > watched.lastInputAt ? readingMs : unsureMs;
  if (shown !== null && (quietMs >= stillMs || awaitsInput(activity, quietMs, watched))) {
    return awaiting(shown, activity);
  }
  if (quietMs < paceMs(activity, watched)) return null;
  if (!awaitsInput(activity, quietMs, watched) && !asksInside(activity, quietMs, watched))
    return null;
  const outcome = activity.state === 'password' ? 'password' : 'awaiting_input';
  const question = isInComposer(activity, watched) ? '' : questionOf(watched);
  const fields = { question, questionId: questionId(question) };
  const met = { outcome, ...fields, ...programOf(activity) } as const;
  return isGuess(activity) ? { ...met, guess: true } : met;
}

/** Returns the silence that is needed because the program may work while it reads the terminal, in ms. */
function paceMs(activity: OwnActivity, watched: Watched): number {
  if (activity.state === 'password' || isKeyDriven(readerOf(activity))) return 0;
  // A spinner that has turned once hides the cursor. So do menus, which were looked for before.
  const mayWork = !watched.terminal.cursor.visible;
  const ownMs = ownPaceMs(watched.bursts, watched.lineAtCursor().text);
  if (isInComposer(activity, watched)) return Math.max(composerMs, ownMs);
  return mayWork ? Math.max(unsureMs, ownMs) : ownMs;
}

/** The silence after which a program that draws its field itself is said to wait, in ms: it may work meanwhile. */
const composerMs = 1_500;

/** Whether the cursor is in a field that the program draws, whose text is no question. */
export function isInComposer({ hasComposer = false }: OwnActivity, watched: Watched): boolean {
  return hasComposer && !looksLikeQuestion(watched.lineAtCursor().text);
}

/** Returns the report of a question that the screen shows. */
export const awaiting = (
  { question, menu, id }: ShownQuestion,
  activity: OwnActivity,
): ConditionMet => ({
  outcome: 'awaiting_input',
  question: menu === null ? question : menuText(menu),
  questionId: id,
  ...defined({ menu }),
  ...programOf(activity),
  ...(isGuess(activity) ? { guess: true } : {}),
});

/** Returns the name of the program that asks, if it is known. */
function programOf(activity: OwnActivity): Pick<ConditionMet, 'program'> {
  const program = readerOf(activity);
  return program === null ? {} : { program };
}

/** Programs by which scripts ask. Other programs that read keys show lists to those who use them. */
const choosers = /^(?:dialog|whiptail|zenity|fzf|sk|gum|peco|pick)$/;

/** The text before the cursor in a box. */
const inBox = /^\s*[│┃║]/u;

/**
 * Returns the question that a program shows on the screen, wherever its cursor is: by choices, or by the
 * name of a key. Such programs often wait for much besides the terminal. Null if it shows none, or if it
 * is known not to read the terminal.
 */
export function shownQuestion(activity: OwnActivity, watched: Watched): ShownQuestion | null {
  const { cursor } = watched.terminal;
  if (!readsKeys(activity) || (activity.state === 'at_prompt' && cursor.visible)) return null;
  const rows = watched.screenRows();
  const cells = (row: number) => watched.rowCells(row);
  const shown = questionOnScreen({ rows, cells, cursor });
  // A question at the cursor is read from there, unless that is a field in a box: it may be longer than a row.
  const { text } = watched.lineAtCursor();
  const isAtCursor = cursor.visible && text.trim() !== '' && !inBox.test(text);
  return shown?.menu === null && isAtCursor ? null : shown;
}

/** Returns the name of the program that reads the terminal; null if unknown. */
export const readerOf = ({ reader, evidence }: OwnActivity): string | null =>
  reader ?? evidence.foreground?.name ?? null;

/** Returns whether a program may read single keys for a menu. A pager or an editor shows any text. */
function readsKeys(activity: OwnActivity): boolean {
  const { state, evidence } = activity;
  const { readingTerminal, alsoWaits, leaderInForeground, shellMark } = evidence;
  const name = readerOf(activity);
  if (state === 'exited' || state === 'password') return false;
  if (isKeyDriven(name) && !choosers.test(name ?? '')) return false;
  if (shellMark === 'prompt' && leaderInForeground !== false) return false;
  const isUnknown = readingTerminal === null && alsoWaits === null;
  return readingTerminal === true || alsoWaits === true || isUnknown;
}

/**
 * Whether only the text shows that a program waits: the system reports no program that reads, or one that relays
 * another terminal.
 */
export function isGuess({ evidence }: OwnActivity): boolean {
  const { readingTerminal, alsoWaits, foreground } = evidence;
  if (readingTerminal === true) return false;
  return alsoWaits !== true || isRelay(foreground?.name ?? null);
}

function awaitsInput(activity: OwnActivity, quietMs: number, watched: Watched): boolean {
  const { state, evidence, isBlocked = false } = activity;
  const { outputEnd, lastInputAt, inputCount } = watched;
  const { readingTerminal, promptPattern, leaderInForeground, shellMark, canonical } = evidence;
  if (state === 'exited' || readingTerminal === false) return false;
  if (readingTerminal === true) {
    // Without output since the last input, the program may not have received that. A shell with a line
    // editor echoes a line before it has read its end. While its command is marked as running, it may be at its
    // next prompt, whose output is not read yet.
    const isEdited = leaderInForeground === true && canonical !== true;
    const mayReadOn = isEdited && (inputCount > 0 || shellMark === 'command');
    const isSure = isBlocked && outputEnd > lastInputAt && !mayReadOn;
    return quietMs >= (isSure ? blockedMs : readingMs);
  }
  // It has asked, and waits for something else as well; or unknown: a shell at the other end of ssh.
  const hasAsked = ['awaiting_input', 'password', 'at_prompt'].includes(state);
  const isLikely = hasAsked || (promptPattern && state !== 'full_screen');
  return isLikely && quietMs >= (maybeProgress(activity, watched) ? progressMs : unsureMs);
}

/** The silence after which text that looks like progress counts as a question or a prompt, in ms. */
export const progressMs = 10_000;

/** Whether a program that the system does not report may have left its progress before the cursor. */
export function maybeProgress(activity: OwnActivity, watched: Watched): boolean {
  if (!isGuess(activity) || watched.terminal.keyModes.bracketedPaste) return false;
  return looksLikeProgress(watched.lineAtCursor().text);
}

/**
 * Returns whether a program inside a terminal multiplexer shows its prompt or asks. The kernel does not
 * report that program's reads here, so its text must look like a prompt or a question.
 */
function asksInside({ state, evidence }: OwnActivity, quietMs: number, watched: Watched): boolean {
  if (state !== 'full_screen' || evidence.readingTerminal === true || quietMs < unsureMs) {
    return false;
  }
  const name = evidence.foreground?.name ?? '';
  // An editor or a pager at the other end of ssh: programs that read keys ask for those of this mode.
  const { applicationCursorKeys } = watched.terminal.keyModes;
  if (isRelay(name) && !isMultiplexer(name) && applicationCursorKeys) return true;
  const isInside = evidence.alsoWaits === true || isRelay(name) || isMultiplexer(name);
  const { text } = watched.lineAtCursor();
  return isInside && (isProgramPrompt(text, null) || looksLikeQuestion(text));
}

/**
 * Returns the text left of the cursor in its line, without blanks at its end. If it is empty, returns
 * the last non-empty line above that was printed since the last input.
 */
function questionOf(watched: Watched): string {
  const { terminal } = watched;
  const before = terminal.alternate ? watched.textBeforeCursor() : terminal.linePosition().before;
  const isBlank = before.trim() === '' && !terminal.alternate;
  const text = isBlank ? lastLineSinceInput(watched) : before + restOfBrackets(before, watched);
  return text.slice(characterEnd(text, Math.max(0, text.length - maxQuestion))).trimEnd();
}

/** Returns the end of the brackets in which the cursor stands: those of `(y/N)`. Empty if it stands in none. */
function restOfBrackets(before: string, watched: Watched): string {
  const open = /[([][^()[\]]{0,20}$/u.test(before);
  const { row } = watched.terminal.cursor;
  const behind = watched.screenRows()[row]?.slice(watched.textBeforeCursor().length) ?? '';
  return open ? (/^[^()[\]]{0,20}[)\]]/u.exec(behind)?.[0] ?? '') : '';
}

function lastLineSinceInput(watched: Watched): string {
  const { terminal, inputs, inputCount } = watched;
  const { line } = terminal.linePosition();
  const input = inputs.at(-1);
  // It was sent to a program on the alternate screen.
  if (inputCount > 0 && input?.line == null) return '';
  // The terminal echoes all lines of an input if the program did not turn the echo off.
  const echo = new Set(input?.text.split(/[\r\n]/).map((each) => each.trimEnd()));
  const first = Math.max(line - maxLinesAbove, input?.line == null ? 0 : input.line + 1);
  // From the last one up: most often it is the one, and a list asks this of each of its sessions.
  for (let to = line; to > first; to -= linesAtOnce) {
    const lines = watched.lineTexts(Math.max(first, to - linesAtOnce), to);
    const texts = Array.from(lines, ({ text }) => text.trimEnd());
    const last = texts.findLast((text) => text !== '' && !echo.has(text));
    if (last !== undefined) return last;
  }
  return '';
}
