import type { Clock } from '#base';
import { asVtrError, type Excerpt, type LineKey, type Sender } from '#model';
import type { Session } from '#session';
import { sendAndWait } from '../waiting/send-and-wait.ts';
import { waitInSession } from '../waiting/wait-in-session.ts';
import { eraseKey } from './line-encoding.ts';

/** A line of comments, which a shell reads without running a command. */
export const isComment = (line: string): boolean =>
  line.split('\n').every((each) => /^\s*(?:#|$)/.test(each));

/** The status that zsh gives a syntax error, but not in `$?` if the command before it failed. */
const zshSyntaxError = 1;

/**
 * Returns the status of a line that ran no command in an integrated shell: the shell's own after a
 * syntax error; null for a comment, and if it is unknown.
 *
 * @param lineKey how the shell takes a line as it is: `paste` is that of zsh
 * @param outputEnd the end of the output before the line was typed
 * @param output of the line: a syntax error has a message
 */
export function statusWithoutCommand(
  { view }: Session,
  line: string,
  lineKey: LineKey | null,
  outputEnd: number,
  output: Excerpt,
): number | null {
  const status = view.commands.statusWithoutCommand(outputEnd);
  const isSilent = output.head === '' && output.tail === '' && output.omitted === null;
  if (isComment(line) || isSilent || status === 0 || status === null) return null;
  return lineKey === 'paste' ? zshSyntaxError : status;
}

/** The silence after which fish has painted the line, and the time limit for it, in ms. */
const paintMs = 50;
const paintLimitMs = 500;
/** The time limit for the prompt after ctrl+c, in ms. If it came later, it would end the next line. */
const promptMs = 2_000;
/** fish loses a key that arrives while it paints. Another ctrl+c prints another prompt, another erasing nothing. */
const ctrlCs = 3;
const erasings = 40;

/**
 * Removes a line with a syntax error that fish shows again at its new prompt.
 *
 * @param by how the shell takes a line: `erasable` has a key for this
 */
export async function clearShownLine(
  session: Session,
  by: LineKey | null,
  clock: Clock,
  sender: Sender,
): Promise<void> {
  const { view } = session;
  const wait = { prompt: true, timeoutMs: promptMs };
  for (let left = by === 'erasable' ? erasings : ctrlCs; left > 0; left--) {
    await waitInSession(session, { quietMs: paintMs, timeoutMs: paintLimitMs }, clock);
    const { prompt } = view.commands;
    const { line, col } = view.terminal.linePosition();
    const isShown = prompt !== null && (line !== prompt.line || col !== prompt.col);
    if (!isShown || view.exitStatus !== null) return;
    try {
      if (by === 'erasable') await session.sendText(eraseKey, sender);
      else await sendAndWait(session, { wait }, clock, () => session.sendText('\x03', sender));
    } catch (error) {
      // A person has taken over meanwhile.
      if (asVtrError(error).code !== 'NOT_DRIVER') throw error;
      return;
    }
  }
}
