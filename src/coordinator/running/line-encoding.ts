import type { Clock } from '#base';
import { asVtrError, type Excerpt, type LineKey, type Sender, VtrError } from '#model';
import type { Session } from '#session';
import { sendAndWait, waitInSession } from '../waiting/send-and-wait.ts';

// How lines are typed so that a shell takes them as they are: its line editor and its history change none of it.

/** The key with which a shell of vtr takes a line as it is. */
export const lineKey = '\x1b[133;1~';

/** The key that empties the line, for a shell that says `erasable`. */
const eraseKey = '\x1b[133;2~';

/**
 * Shells whose editors take any character after ctrl+v as text (`quoted-insert`), and which expand `!` from their
 * history.
 */
export const expandingShells: readonly string[] = ['bash', 'zsh'];

/** Whether a shell may expand a line from its history: `!`, and `^old^new` at the beginning. */
export const mayExpand = (line: string): boolean => line.includes('!') || line.startsWith('^');

/**
 * Returns the keys that are typed before a line so that bash takes it as it is: none if it does that anyway, the key
 * twice if the line reads the prompt, which has marks.
 *
 * @param always whether the key is typed before each line
 */
export function keysBefore(line: string, always: boolean): string {
  if (line.includes('PS1')) return lineKey.repeat(2);
  return always || mayExpand(line) ? lineKey : '';
}

/**
 * Typed without a paste, a tab would trigger completion and a line end would run an incomplete
 * command.
 */
export const hasControls = (line: string): boolean => /\p{Cc}/u.test(line);

const lineFeeds = (line: string): string => line.replace(/\r\n?/g, '\n');

/** Returns what types a line with its control characters as text, and Enter. */
export const quoted = (line: string): string =>
  `${lineFeeds(line).replace(/\p{Cc}/gu, '\x16$&')}\r`;

const paste = (text: string): string => `\x1b[200~${text.replaceAll('\x1b[201~', '')}\x1b[201~`;

/**
 * Returns what pastes a line with the key, also where the shell has not asked for pastes, and Enter. All but
 * `paste` are for fish, which leaves control characters out of a paste, and decodes nothing where a character is not
 * ASCII.
 */
export function pastedLine(
  line: string,
  by: Exclude<LineKey, 'noted' | 'typed' | 'always'>,
): string {
  const text = lineFeeds(line);
  if (by === 'paste') return `${lineKey}${paste(text)}\r`;
  return `${paste(text.replace(/[%\p{Cc}\P{ASCII}]/gu, encodeURIComponent))}${lineKey}\r`;
}

/**
 * Returns a line with the key and Enter, for one input; null for a line that is typed as text, after
 * {@link keysBefore}. A line that bash notes by the key behind it is not asked from its history, for which it forks.
 */
export function lineAtOnce(line: string, by: LineKey): string | null {
  if (by === 'typed' || by === 'always') return null;
  if (by !== 'noted') return pastedLine(line, by);
  return hasControls(line) ? null : `${keysBefore(line, false)}${line}${lineKey}\r`;
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\\': '\\\\', "'": "\\'" };

/** Returns a line that makes bash or zsh run another one, which it does not expand from its history. */
export function evaluated(line: string): string {
  const text = lineFeeds(line).replace(/[\\'!^\0-\x1f\x7f]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0');
    return escapes[character] ?? `\\x${code}`;
  });
  return `eval $'${text}'`;
}

/**
 * Returns a line that makes any POSIX shell run another one, which it does not expand from its history. `$?` is that of
 * the line before.
 */
export function evaluatedAnywhere(line: string): string {
  const format = lineFeeds(line)
    .replace(/[\\'!^\0-\x1f\x7f]/g, (character) => {
      return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
    })
    .replaceAll('%', '%%')
    .replace(/^-/, '\\055');
  return `eval "$(s=$?; printf '${format}'; exit $s)"`;
}

/** @throws VtrError NO_INPUT for a blank line; INVALID_ARGUMENT for one that no shell can have */
export function checkLine(line: string): void {
  if (line.trim() === '') throw new VtrError('NO_INPUT', 'the line is empty; give a command');
  if (!line.includes('\0')) return;
  const message = 'the line has a NUL character, at which shells cut a command off; remove it';
  throw new VtrError('INVALID_ARGUMENT', message);
}

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
