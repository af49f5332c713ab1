import type { Clock } from '#base';
import type { CommandRecord, OutputPosition, Sender } from '#model';
import type { Session } from '#session';
import { sendAndWait } from '../waiting/send-and-wait.ts';
import { waitInSession } from '../waiting/wait-in-session.ts';

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
