import { type Clock, encodeUtf8 } from '#base';
import { replacesShell, type Sender } from '#model';
import type { Session } from '#session';
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
  if (kind === 'paste') {
    // Nothing, and no Enter.
    await session.sendBytes(encodeUtf8(pastedLine('', 'paste').replace(/\r$/, '')), sender);
    await until(session, clock, isMarked);
    return;
  }
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
