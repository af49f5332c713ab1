import { type Clock, encodeUtf8 } from '#base';
import {
  asVtrError,
  type CommandRecord,
  type OutputPosition,
  replacesShell,
  type Sender,
} from '#model';
import type { Session } from '#session';
import { sendAndWait, waitInSession } from '../waiting/send-and-wait.ts';
import { expandingShells, lineKey, pastedLine } from './line-encoding.ts';

/** How long the shell may take to answer the key, and to show its next prompt, in ms. */
const answerMs = 1_000;

/**
 * Makes the session's shell mark its prompt again, if it shows one without marks: a command of the user has replaced
 * the hooks of the integration (`PS1='$ '; unset PROMPT_COMMAND`). Types nothing if another program may read, and
 * nothing but a key if the shell does not prove that it is at its prompt and that nothing is typed there.
 */
export async function markPrompt(session: Session, clock: Clock, sender: Sender): Promise<void> {
  const { commands } = session.view;
  const { lineKey: kind } = commands;
  if (kind === null || kind === 'encoded') return;
  if (!(await isUnmarkedPrompt(session))) return;
  const isMarked = () => commands.prompt !== null;
  try {
    if (kind === 'paste') {
      // Nothing, and no Enter.
      await session.sendBytes(encodeUtf8(pastedLine('', 'paste').replace(/\r$/, '')), sender);
      await until(session, clock, isMarked);
    } else await pressLineKey(session, clock, sender);
  } catch (error) {
    // A person types there meanwhile.
    if (asVtrError(error).code !== 'NOT_DRIVER') throw error;
  }
}

/** The key makes the shell mark the end of its command, and draw its prompt again where it can. */
async function pressLineKey(session: Session, clock: Clock, sender: Sender): Promise<void> {
  const { commands } = session.view;
  const isMarked = () => commands.prompt !== null;
  const since = session.view.outputEnd;
  const hasEnd = () =>
    commands.endedAfter(since) !== null || commands.lineOfEndWithoutCommand(since) !== null;
  await session.sendBytes(encodeUtf8(lineKey), sender);
  await until(session, clock, () => isMarked() || hasEnd());
  // bash cannot draw another prompt before the next line: it has marked the end of the command only.
  if (isMarked() || !hasEnd()) return;
  await session.sendText('\r', sender);
  await until(session, clock, isMarked);
}

/** Whether the line editor of the session's own shell waits for a line, at a prompt that has no marks. */
async function isUnmarkedPrompt(session: Session): Promise<boolean> {
  const { commands } = session.view;
  const isMarked = () => commands.prompt !== null || commands.continues;
  if (isMarked() || !session.bracketedPaste || replacesShell(commands.running?.line)) return false;
  const { evidence } = await session.activity();
  const { foreground, leaderInForeground, readingTerminal, alsoWaits } = evidence;
  if (!expandingShells.includes(foreground?.name ?? '')) return false;
  const isReading = readingTerminal === true || alsoWaits === true;
  return leaderInForeground === true && isReading && !isMarked();
}

/** Waits until something is true of the session, for a limited time. */
function until({ view }: Session, clock: Clock, isTrue: () => boolean): Promise<void> {
  if (isTrue()) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timer.dispose();
      listening.dispose();
      resolve();
    };
    const timer = clock.schedule(answerMs, done);
    const listening = view.onEvent(({ type }) => {
      if (isTrue() || type === 'exit') done();
    });
  });
}

/** The silence after which a shell that waits for input has read what there was, and the time limit for it, in ms. */
const readMs = 50;
const readLimitMs = 1_000;
/** The time limit for the prompt after ctrl+c, in ms. */
const promptMs = 2_000;

/**
 * Clears what the shell's line editor made of replies to queries of the last command, which did not read them:
 * only if nobody has sent input since the command began.
 *
 * @param prompt at which nothing else is typed
 */
export async function clearUnreadReplies(
  session: Session,
  clock: Clock,
  sender: Sender,
  prompt: OutputPosition,
): Promise<void> {
  const { view } = session;
  if (!mayHaveReplies(session)) return;
  await untilShellReads(session, clock);
  const typed = () => {
    const { line, col } = view.terminal.linePosition();
    return line === prompt.line ? Math.max(0, col - prompt.col) : 0;
  };
  const count = typed();
  if (count === 0 || !mayHaveReplies(session)) return;
  // Keeps $?, unlike ctrl+c.
  await session.sendText('\x7f'.repeat(count), sender);
  await untilShellReads(session, clock);
  if (typed() === 0) return;
  // The editor has keys of vi.
  const wait = { prompt: true, timeoutMs: promptMs };
  await sendAndWait(session, { wait }, clock, () => session.sendText('\x03', sender));
}

/** Waits until the shell has read its input and drawn what it made of it, as far as the system tells. */
export async function untilShellReads(session: Session, clock: Clock): Promise<void> {
  const endMs = clock.nowMs() + readLimitMs;
  for (let leftMs = readLimitMs; leftMs > 0; leftMs = endMs - clock.nowMs()) {
    await waitInSession(session, { quietMs: readMs, timeoutMs: leftMs }, clock);
    const { evidence } = await session.activity();
    if (evidence.readingTerminal !== false) return;
  }
}

/** Whether input was sent while the last command ran, which the shell may show only after its prompt. */
export function mayHaveTypedAhead(session: Session, prompt: OutputPosition): boolean {
  const { lastInputAt } = session.view;
  const last = lastCommand(session);
  return last !== null && lastInputAt > last.from.offset && lastInputAt <= prompt.offset;
}

function mayHaveReplies(session: Session): boolean {
  const last = lastCommand(session);
  return (
    last !== null &&
    session.commandOfLastReply === last.number &&
    session.view.lastInputAt <= last.from.offset
  );
}

function lastCommand(session: Session): CommandRecord | null {
  return session.commands({ last: 1 }).commands[0] ?? null;
}
