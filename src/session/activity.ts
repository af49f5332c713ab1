import { defined } from '#base';
import {
  type ActivityEvidence,
  type ActivityState,
  isKeyDriven,
  isMultiplexer,
  isProgramPrompt,
  isRelay,
  isSecondPrompt,
  isShell,
  isWholeInput,
  labelMs,
  looksLikeLabel,
  looksLikePrompt,
  looksLikeQuestion,
  type OutputPosition,
  type OwnActivity,
  replacesShell,
  type SessionActivity,
} from '#model';
import type { Foreground, ProcessEntry, Pty, TerminalModes } from '#pty';
import type { Ledger } from '#shell';
import type { Input } from './input/input.ts';
import type { Replies } from './input/replies.ts';
import type { SessionView } from './session-view.ts';

interface ReaderParts {
  readonly pty: Pty;
  readonly view: SessionView;
  readonly ledger: Ledger;
  readonly replies: Pick<Replies, 'areComing'>;
  readonly input: Pick<Input, 'isComing'>;
  readonly times: () => SessionTimes;
}

/** In ms since 1970. */
export interface SessionTimes {
  readonly createdAtMs: number;
  /** Null while the program runs. */
  readonly exitedAtMs: number | null;
}

/** Reads the activity of a session. */
export class ActivityReader {
  readonly #parts: ReaderParts;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** Returns the current activity. Forgets unverified marks that it shows to be wrong. */
  async activity(listed?: readonly ProcessEntry[], withDirectory = false): Promise<OwnActivity> {
    const { pty, view, ledger, replies, input } = this.#parts;
    const wereComing = replies.areComing;
    const wasTyping = input.isComing;
    const read = await readActivity(pty, view, this.#parts.times(), listed, withDirectory);
    const afterReplies = wereComing || replies.areComing ? awaitingReplies(read) : read;
    const activity = wasTyping || input.isComing ? awaitingRest(afterReplies) : afterReplies;
    const { foreground } = activity.evidence;
    const { revision, position } = view.terminal;
    if (foreground !== null && activity.revision === revision) {
      const isMarked = view.isAtUnverifiedPrompt();
      const prompt = isMarked ? 'marked' : activity.state === 'at_prompt' ? 'elsewhere' : 'none';
      ledger.noteForeground(position, foreground.pid, prompt);
    }
    return activity;
  }

  /**
   * Returns the current activity for a list of sessions.
   *
   * @param listed a recent listing of all processes
   */
  async listed(listed: readonly ProcessEntry[]): Promise<SessionActivity> {
    const { pty, ledger } = this.#parts;
    // In one question, because each may wait for the host.
    const activity = await this.activity(listed, ledger.directory === null);
    if (activity.state === 'exited') return { ...activity, command: null, directory: null };
    const command = ledger.running?.line ?? null;
    const pid = activity.evidence.foreground?.pid ?? pty.pid;
    const { directory: former, toldDirectory } = ledger;
    const read = activity.directory;
    const path = former ?? (read === undefined ? await pty.directory(pid) : read);
    const directory = path ?? toldDirectory;
    return { ...activity, command, directory };
  }
}

/** Limits the attempts on a program that prints continuously. */
const maxAttempts = 3;

/** The state of a session's terminal in the system. */
interface SystemFacts {
  readonly foreground: Foreground;
  /** Null if they are unknown or were not read. */
  readonly modes: TerminalModes | null;
}

/**
 * Returns the activity of a session. If the screen changes while the system is queried, queries it
 * again, so that all evidence is from the same moment.
 *
 * @param listed for a list of sessions: a recent listing of all processes, or none. ECHO and ICANON are
 * then read only if the state depends on them, because that may cost a process for each session.
 * @param withDirectory for a list of sessions: whether to read the directory as well
 */
async function readActivity(
  pty: Pick<Pty, 'foreground' | 'modes'>,
  view: SessionView,
  times: SessionTimes,
  listed?: readonly ProcessEntry[],
  withDirectory = false,
): Promise<OwnActivity> {
  for (let attempt = 1; ; attempt++) {
    const before = view.terminal.revision;
    const { foreground, modes } = await (listed === undefined
      ? allFacts(pty)
      : neededFacts(pty, view, attempt === 1 ? listed : [], withDirectory));
    const { exitStatus } = view;
    const { alternate, revision } = view.terminal;
    if (revision !== before && attempt < maxAttempts) continue;
    const line = view.lineAtCursor();
    const isUnfinished = line.text.trim() !== '';
    // An event loop polls the terminal all the time. After a line, it may still compute the answer.
    const mayCompute =
      foreground.inEventLoop === true && !isUnfinished && hasReadLine(view, foreground);
    const evidence = {
      shellMark: shellMark(view),
      promptPattern: looksLikePrompt(view.textBeforeCursor()),
      alternateScreen: alternate,
      foreground: foreground.program,
      leaderInForeground: foreground.isLeader,
      echo: modes?.echo ?? null,
      canonical: modes?.canonical ?? null,
      readingTerminal: mayCompute ? null : foreground.readsTerminal,
      alsoWaits: mayCompute || foreground.alsoWaits,
      unfinishedLine: isUnfinished,
    };
    const context = {
      ...line,
      reader: foreground.reader ?? foreground.program?.name ?? null,
      isReplaced: replacesShell(view.commands.running?.line),
      isMarked: view.isAtUnverifiedPrompt(),
      isWhole: isSecondPrompt(line.text) && isWholeInput(inputSinceStart(view) ?? '"'),
      isAtOwnPace: view.isAtOwnPace(),
      isSilent: view.isSilentFor(labelMs),
      hasComposer: (modes?.canonical ?? !alternate) === false && hasComposer(view, foreground),
    };
    const state = exitStatus === null ? activityState(evidence, context) : 'exited';
    const isBlocked = foreground.isBlocked === true && !mayCompute;
    const { startedAt, directory, reader } = foreground;
    return {
      state,
      evidence,
      sinceMs: sinceMs(state, view, times),
      revision,
      ...defined({ isBlocked: isBlocked || undefined, startedAt, reader }),
      ...(context.hasComposer ? { hasComposer: true } : {}),
      ...(directory === undefined ? {} : { directory }),
    };
  }
}

/** The top or the bottom of a field. */
const edge = /^\s*[╭╰┌└┏┗╔╚]?([─━═▀▄▔▁])\1{8,}/u;
/** The left side of a field. */
const side = /^\s*[│┃║▌▏▎](?:\s|$)/u;
/** The most rows of a field from the cursor to its bottom. */
const maxFieldRows = 8;

/**
 * Whether a program that reads keys draws the field in which one types: it has asked for what line editors do not, hides
 * the cursor, or the field has an edge. Shells have none, and a program that relays another terminal may show a shell.
 */
function hasComposer(view: SessionView, { program, reader }: Foreground): boolean {
  const name = reader ?? program?.name ?? null;
  if (isShell(name) || isRelay(name) || isMultiplexer(name) || isKeyDriven(name)) return false;
  const { cursor, size, alternate } = view.terminal;
  if (!alternate && (view.keepsEnterApart() || !cursor.visible)) return true;
  const rows = view.screenRows();
  const above = rows[cursor.row - 1] ?? '';
  // A table ends with an edge, too.
  const isRule = /^[─━]+$/u.test(above) && above.length >= size.cols - 1;
  const below = rows.slice(cursor.row + 1, cursor.row + 1 + maxFieldRows);
  const end = below.findIndex((row) => row === '' || edge.test(row));
  return isRule || side.test(rows[cursor.row] ?? '') || (end >= 0 && edge.test(below[end] ?? ''));
}

/** All that was typed into the program in the foreground; null if some of it is not known any more. */
function inputSinceStart({ inputs, inputCount, commands }: SessionView): string | null {
  const from = commands.running?.from.offset ?? 0;
  const [first] = inputs;
  const isWithoutGap = first !== undefined && inputs.length === inputCount - first.number + 1;
  const isFromStart = first?.number === 1 || (first !== undefined && first.offset < from);
  if (inputCount > 0 && !(isWithoutGap && isFromStart)) return null;
  return inputs.map(({ offset, text }) => (offset >= from ? text : '')).join('');
}

async function allFacts(pty: Pick<Pty, 'foreground' | 'modes'>): Promise<SystemFacts> {
  const foreground = await pty.foreground();
  return { foreground, modes: foreground.modes ?? (await pty.modes()) };
}

async function neededFacts(
  pty: Pick<Pty, 'foreground' | 'modes'>,
  { terminal, commands }: SessionView,
  listed: readonly ProcessEntry[],
  withDirectory: boolean,
): Promise<SystemFacts> {
  const foreground = await pty.foreground(listed, withDirectory);
  const mayReadSecret = !terminal.alternate && foreground.readsTerminal !== false;
  // An integrated shell at its prompt edits the line itself.
  const isAtMarkedPrompt =
    foreground.isLeader === true &&
    commands.integration === 'integrated' &&
    commands.prompt !== null;
  if (!mayReadSecret || isAtMarkedPrompt) return { foreground, modes: null };
  return { foreground, modes: foreground.modes ?? (await pty.modes(listed)) };
}

/** Returns when a state began, in ms since 1970, as far as known. */
function sinceMs(
  state: ActivityState,
  { commands, lastInputAtMs, lastOutputAtMs }: SessionView,
  { createdAtMs, exitedAtMs }: SessionTimes,
): number {
  if (state === 'exited') return exitedAtMs ?? createdAtMs;
  if (state === 'running' || state === 'full_screen') {
    return commands.running?.startedAtMs ?? lastInputAtMs ?? createdAtMs;
  }
  return lastOutputAtMs ?? createdAtMs;
}

function shellMark(view: SessionView): ActivityEvidence['shellMark'] {
  const { commands } = view;
  if (commands.prompt !== null) return isContinued(view, commands.prompt) ? 'command' : 'prompt';
  return commands.running !== null || commands.continues ? 'command' : null;
}

/**
 * Returns whether the typed line continues in a line below the prompt. fish has no continuation
 * prompt: it indents the line to the prompt's end.
 */
function isContinued(view: SessionView, prompt: OutputPosition): boolean {
  const { line, before } = view.terminal.linePosition();
  if (prompt.line === null || line <= prompt.line || view.lastInputAt <= prompt.offset)
    return false;
  const indent = before.slice(0, prompt.col);
  return prompt.col > 0 && indent.length === prompt.col && indent.trim() === '';
}

/**
 * Returns whether the last input was a line for the program in the foreground, and the program has
 * accepted it: the cursor is at the beginning of a line, and is shown. Menus hide it.
 */
function hasReadLine(
  { commands, inputs, terminal }: SessionView,
  { isLeader }: Foreground,
): boolean {
  const last = inputs.at(-1);
  if (last === undefined || !/[\r\n]$/.test(last.text)) return false;
  if (terminal.linePosition().col !== 0 || !terminal.cursor.visible) return false;
  // The line of a shell has started the program, and is not for it.
  if (commands.running === null) return isLeader === true && commands.integration !== 'integrated';
  return isLeader === false && last.offset >= commands.running.from.offset;
}

/** The line of the cursor, and the program that reads the terminal. */
interface ReadContext {
  /** The text that a program left unfinished. */
  readonly text: string;
  /** The text typed behind it. */
  readonly typed: string;
  /** The program that reads the terminal; null if unknown. */
  readonly reader: string | null;
  /** Whether the command that runs has replaced the shell. */
  readonly isReplaced: boolean;
  /** Whether the line is a prompt by marks without the nonce. They count if the system agrees. */
  readonly isMarked: boolean;
  /** Whether what was typed into the program is known to be whole commands. */
  readonly isWhole: boolean;
  /** Whether the program prints at a pace of its own, and so does not wait for the terminal it reads. */
  readonly isAtOwnPace: boolean;
  /** Whether nothing was printed or typed for {@link labelMs}. */
  readonly isSilent: boolean;
  /** See `OwnActivity.hasComposer`. */
  readonly hasComposer: boolean;
}

const noContext: ReadContext = {
  text: '',
  typed: '',
  reader: null,
  isReplaced: false,
  isMarked: false,
  isWhole: false,
  isAtOwnPace: false,
  isSilent: false,
  hasComposer: false,
};

/**
 * Returns the activity of a program to which replies of the terminal are on their way: if it reads, it waits for
 * those and not for a person. In canonical mode it cannot read them without an Enter.
 */
function awaitingReplies(activity: OwnActivity): OwnActivity {
  const { state, evidence } = activity;
  if (state !== 'awaiting_input' || evidence.canonical !== false) return activity;
  const { isBlocked: _, ...rest } = activity;
  const notReading = { ...evidence, readingTerminal: false, alsoWaits: false };
  return { ...rest, state: 'running', evidence: notReading };
}

/**
 * Returns the activity while input is being written: a program that reads, such as a shell whose long line has not
 * come completely, waits for the rest and not for a person.
 */
function awaitingRest(activity: OwnActivity): OwnActivity {
  if (activity.state !== 'at_prompt') return awaitingReplies(activity);
  const { isBlocked: _, evidence, ...rest } = activity;
  return { ...rest, evidence: { ...evidence, readingTerminal: false, alsoWaits: false } };
}

/** Returns the state of a session whose program runs. Unknown evidence alone never decides it. */
export function activityState(
  evidence: ActivityEvidence,
  context: Partial<ReadContext> = {},
): ActivityState {
  const facts = { ...noContext, ...context };
  if (evidence.alternateScreen) return 'full_screen';
  if (hidesInput(evidence)) return 'password';
  if (isAtPrompt(evidence, facts)) return 'at_prompt';
  const waits = evidence.readingTerminal === true || hasAsked(evidence, facts);
  // A list that takes keys while it is loaded has a spinner as well.
  const mayWork = facts.isAtOwnPace && !isKeyDriven(facts.reader);
  return waits && !mayWork ? 'awaiting_input' : 'running';
}

/**
 * Returns whether a program has asked something and waits for the answer, and for something else as
 * well: a socket, a child.
 */
function hasAsked(evidence: ActivityEvidence, { text, isSilent }: ReadContext): boolean {
  if (evidence.alsoWaits !== true || !evidence.unfinishedLine) return false;
  const name = evidence.foreground?.name ?? null;
  if (!isRelay(name) || evidence.promptPattern || looksLikeQuestion(text)) return true;
  // With a terminal at the other side, this one is in raw mode.
  return isSilent && evidence.canonical === false && looksLikeLabel(text);
}

/**
 * A program that edits its line itself, such as a shell at its prompt, turns off ECHO and ICANON.
 */
function hidesInput({ echo, canonical, readingTerminal }: ActivityEvidence): boolean {
  return canonical === true && echo === false && readingTerminal !== false;
}

/** Whether a program that reads keys repaints rows all the time: what looks like its prompt is a part of its picture. */
const isBesideSpinner = (
  { canonical }: ActivityEvidence,
  { isAtOwnPace, text, reader }: ReadContext,
): boolean =>
  canonical === false && isAtOwnPace && text.trim() !== '' && !isShell(reader) && !isRelay(reader);

/**
 * A mark with the nonce is certain. Another mark and a pattern are guesses, and any evidence against them
 * counts more. A program inside the shell is at its prompt if it reads the terminal, and the line that it
 * left looks like one.
 */
function isAtPrompt(evidence: ActivityEvidence, context: ReadContext): boolean {
  const { shellMark, promptPattern, leaderInForeground, readingTerminal } = evidence;
  const { text, typed, reader, isReplaced, isMarked, isWhole } = context;
  const isShells = leaderInForeground !== false && !isReplaced && shellMark !== null;
  // What looks like a prompt is the sign of its field, also while it works.
  if ((context.hasComposer || isBesideSpinner(evidence, context)) && !isShells) return false;
  if (leaderInForeground !== false && !isReplaced) {
    if (shellMark !== null) return shellMark === 'prompt';
    const mayRead = readingTerminal !== false && !isKeyDriven(reader);
    if (mayRead && isMarked) return true;
    const isGuess = promptPattern && mayRead;
    if (isGuess && (text.trim() === '' || isProgramPrompt(text, reader, isWhole))) return true;
  }
  const reads =
    readingTerminal === true || (evidence.alsoWaits === true && evidence.unfinishedLine);
  return reads && typed.trim() === '' && (isMarked || isProgramPrompt(text, reader, isWhole));
}
