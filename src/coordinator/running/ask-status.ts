import { randomBytes } from 'node:crypto';
import { type Clock, decodeUtf8 } from '#base';
import {
  asVtrError,
  type InputReceipt,
  isPosixShell,
  isRelay,
  looksLikeShellPrompt,
  type OwnActivity,
  printsFishPrompt,
  printsShellPrompt,
  type ReadMark,
} from '#model';
import type { Session, SessionView } from '#session';
import { type StatusQuery, statusQuery } from '#shell';
import { markNow, type TypedPrompt } from '#watch';
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
  /** The rows of its prompt above that of the cursor. */
  readonly rowsAbove: number;
}

const knownShells = new WeakMap<Session, KnownShell>();

export interface StatusAnswer {
  /** Null if the line may have started another shell, which answered. */
  readonly exitCode: number | null;
  /** Whether nothing was printed since the prompt that ended the line. */
  readonly isAlone: boolean;
  /** The rows of the prompt above its last one. */
  readonly rowsAbove: number;
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

/**
 * Asks the shell at whose prompt a line has ended for its exit status, unseen: see `statusQuery`. Types nothing
 * unless a shell is known to read: the system says so, or the prompt behind ssh or another relay is one that only
 * shells show. See docs/adr/0132.
 *
 * @param type types text and Enter
 * @returns null if the status is unknown
 */
export async function askStatus(
  session: Session,
  line: string,
  typedAt: TypedPrompt,
  clock: Clock,
  type: (text: string) => Promise<InputReceipt>,
): Promise<StatusAnswer | null> {
  const { view } = session;
  const activity = await session.activity();
  const { text, typed } = view.lineAtCursor();
  const localPid = activity.evidence.foreground?.pid ?? 0;
  const last = knownShells.get(session);
  const known = last?.localPid === localPid ? last : null;
  if (known?.pid === null || typed.trim() !== '') return null;
  const shown = { raw: lastOutput(view), pastes: session.bracketedPaste };
  if (!isShellPrompt(activity, text, typedAt, shown)) return null;
  const ask = async (rowsAbove: number) => {
    const query = queryAt(view, rowsAbove);
    if (query === null) return null;
    const wait = { match: [query.answer], raw: true, timeoutMs: answerMs };
    const answer = await sendAndWait(session, { wait }, clock, () => type(query.line));
    await untilShown(view, clock, text);
    return answer.wait?.match?.groups ?? [];
  };
  try {
    const row = view.terminal.linePosition().line;
    const answer = await ask(known?.rowsAbove ?? 0);
    if (answer === null) return null;
    const [code, pid] = answer;
    if (code == null || pid == null) {
      knownShells.set(session, { localPid, pid: null, rowsAbove: 0 });
      return null;
    }
    const moved = view.terminal.linePosition().line - row;
    const isNewHigh = known === null && moved > 0 && moved <= maxRowsAbove;
    // The rows of the prompt above its last one are there twice. Another query erases them.
    if (isNewHigh) await ask(2 * moved);
    const rowsAbove = isNewHigh ? moved : (known?.rowsAbove ?? 0);
    knownShells.set(session, { localPid, pid, rowsAbove });
    const isLocal = !isRelay(activity.evidence.foreground?.name ?? null);
    const isSame = isLocal || known?.pid === pid || !mayStartShell.test(unquoted(line));
    return {
      exitCode: isSame ? Number(code) : null,
      isAlone: moved === 0 || isNewHigh,
      rowsAbove,
      mark: markNow(view),
      revision: session.revision,
    };
  } catch (error) {
    // A person has taken over, or the program has ended.
    if (['NOT_DRIVER', 'SESSION_NOT_RUNNING'].includes(asVtrError(error).code)) return null;
    throw error;
  }
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
  { raw, pastes }: { readonly raw: string; readonly pastes: boolean },
): boolean {
  const name = evidence.foreground?.name ?? null;
  if (isRelay(name)) {
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

function queryAt({ terminal }: SessionView, rowsAbove: number): StatusQuery | null {
  const { cols, rows } = terminal.size;
  const { col } = terminal.linePosition();
  const wrapped = Math.floor(col / cols);
  const place = { col: col % cols, cols, rows, rowsAbove: rowsAbove + wrapped };
  return statusQuery(randomBytes(4).toString('hex'), place);
}

/** Waits until the prompt is shown again, for a limited time. */
function untilShown(view: SessionView, clock: Clock, prompt: string): Promise<void> {
  const isShown = () => view.lineAtCursor().text === prompt || view.exitStatus !== null;
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
