import { cutText, sanitize } from '#base';
import type { ExitStatus } from './lifetime.ts';
import type { ToldStatus } from './report.ts';
import type { SessionInfo } from './session.ts';

/** How a program ended, as Node.js reports it: one of the two is not null. */
type Ended = Readonly<Record<keyof ExitStatus, number | string | null>>;

/** Returns how a program ended, as a state: `exited 3`, `killed by SIGKILL`. */
export const exitText = ({ code, signal }: Ended): string =>
  signal === null ? `exited ${code}` : `killed by ${signal}`;

/** Returns how a program ended, after a subject: `exited with status 3`, `was killed by SIGKILL`. */
export const exitClause = ({ code, signal }: Ended): string =>
  signal === null ? `exited with status ${code}` : `was killed by ${signal}`;

/** Returns what the program in the foreground says that it does; null for nothing, and for what an ended one said last. */
export const toldStatusOf = ({ activity, programStatus }: SessionInfo): ToldStatus | null =>
  programStatus !== undefined && activity?.state !== 'at_prompt' ? programStatus : null;

/** Returns the state of a session: `running`, `at prompt`, that of its agent or `done`, or as {@link exitText}. */
export function stateText(info: SessionInfo): string {
  const { state, exitStatus, activity, agent } = info;
  if (exitStatus !== null) return exitText(exitStatus);
  if (agent?.done) return 'done';
  const status = toldStatusOf(info);
  return agent?.state ?? (status && statusWord(status)) ?? spaced(activity?.state ?? state);
}

/** `working 40%` */
const statusWord = ({ state, progress }: ToldStatus): string =>
  progress === null ? state : `${state} ${progress}%`;

/** Returns what a program says that it does: `working 40%: copying`. */
export const programStatusText = (status: ToldStatus): string =>
  [statusWord(status), status.message].filter((part) => part !== '').join(': ');

/** Returns a word of the model as people read it: `awaiting_input` is `awaiting input`. */
export const spaced = (word: string): string => word.replaceAll('_', ' ');

/** Returns a number with a noun: `1 line`, `2 lines`. */
export const counted = (count: number | string, noun: string, many = `${noun}s`): string =>
  `${count} ${String(count) === '1' ? noun : many}`;

/**
 * Returns text that ends with `…` if it was longer.
 *
 * @param maxLength of the result, in UTF-16 code units; no character is cut in half
 */
export const shortened = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${cutText(text, maxLength - 1)}…`;

/** The longest {@link evidenceText}, in UTF-16 code units. */
const maxEvidence = 200;

/** Returns text from output as one line for a person or a model, of at most 200 characters. */
export const evidenceText = (text: string): string =>
  shortened(sanitize(text.replace(/\s+/gu, ' ')).text.trim(), maxEvidence);

/** Returns text as one line without control and invisible characters. */
export const oneLine = (text: string): string =>
  sanitize(text.replaceAll('\n', '⏎').replaceAll('\t', ' ')).text;
