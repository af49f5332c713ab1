import { defined, sanitize } from '#base';
import {
  type InputReceipt,
  isVtrError,
  type SendMouseResult,
  type SendOptions,
  type SendResult,
  VtrError,
  type WaitResult,
} from '#model';
import { duration, type FlagValues, toggle } from '../arguments/flags.ts';
import { inputIdFlag, inputIdOf, senderFlags, senderOf } from '../arguments/sender-flags.ts';
import {
  conditionsIn,
  patternsOf,
  waitFlag,
  waitFlags,
  waitRequest,
} from '../arguments/wait-flags.ts';
import type { Context } from '../context.ts';
import type { Target } from '../coordinators/addressing.ts';
import { noExit, notSubmittedExit } from '../exit-codes.ts';
import { printExcerpt } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { waitJson } from '../output/session-json.ts';
import { printWait, statusOfWait } from '../output/wait-text.ts';
import { asOwnDriver } from './own-drive.ts';

/** The flags of every verb that sends input. */
export const sendFlags = {
  ...senderFlags,
  ...inputIdFlag,
  json: toggle("print the mark before the input and the wait's result as JSON"),
  timeout: duration("input timeout (default 5s); with --wait, the wait's timeout (default 30s)"),
  'wait-driver': toggle('while a person types or holds the session, wait, and then send'),
  wait: waitFlag,
  ...waitFlags,
};

export const sendDetails = [
  'Returns when the terminal has accepted all of the input. Text or enter that is the first input of a program which still starts is sent when the program reads, after at most 20 seconds; other keys, such as ctrl+c, are sent at once.',
  'With --wait, returns once the expected result appears; the wait is registered before the input is sent, and ignores its echo. The conditions and the exit status are those of vtr wait. Without a condition, --wait means --finished at the prompt of a shell with shell integration; otherwise it waits for the program to exit. If several lines are sent, --finished waits for the last command.',
  'With --wait, prints the new output without the echo, at most the last 200 lines, and the question. After a match, prints only the line that matches. With --tail or --since, prints what vtr wait prints.',
  'If a script may repeat a call whose result it did not get, it gives each call its own --input-id, and repeats the call with the same ID. Other input with that ID is refused (exit status 2). A session remembers the last 64 IDs.',
] as const;

type SendFlagValues = FlagValues<typeof sendFlags>;

/**
 * Sends input, waits if the flags request it, and prints the result.
 *
 * @param sendAs called once, and again if it is refused because the caller itself drives
 * @param by the name of the sender, for people
 * @param typed the text that is sent, whose echo is not printed
 * @returns the exit status
 * @throws VtrError INVALID_ARGUMENT
 */
export async function sendAndPrint(
  context: Context,
  target: Target,
  values: SendFlagValues,
  sendAs: (options: SendOptions) => Promise<SendMouseResult>,
  by = 'vtr',
  typed = '',
): Promise<number> {
  const { session, shown } = target;
  const sendNow = (options: SendOptions) =>
    asOwnDriver(context, target, values.epoch, (driverEpoch) =>
      sendAs({ ...options, ...defined({ driverEpoch }) }),
    );
  const send = (options: SendOptions) =>
    values['wait-driver']
      ? afterPersons(target, () => sendNow(options), values.timeout)
      : sendNow(options);
  const timeout = values.timeout === undefined ? {} : { timeoutMs: values.timeout };
  const sender = { ...senderOf(values, by), ...inputIdOf(values) };
  if (values.wait === undefined) {
    const result = await send({ ...sender, ...timeout });
    if (result.ignored) return tellIgnored(context, { session, shown }, result, values.json);
    tellReceipt(context, shown, result);
    if (values.json) printJson(context, sentJson(session, result));
    return result.submitted === false ? notSubmittedExit : 0;
  }
  const asJson = await wantsJson(context, values);
  const flags = await withCondition(target, values);
  const patterns = patternsOf(flags);
  const printsNew = !asJson && flags.tail === undefined && flags.since === undefined;
  const tail = printsNew ? { tail: newOutputBudget } : {};
  const request = { ...waitRequest(flags, patterns, asJson), ...timeout, ...tail };
  const waitResult = await send({ ...sender, wait: request });
  if (waitResult.ignored) return tellIgnored(context, { session, shown }, waitResult, asJson);
  const { wait: end } = waitResult;
  tellReceipt(context, shown, waitResult);
  if (waitResult.submitted === false) {
    if (asJson) printJson(context, { ...sentJson(session, waitResult), wait: null });
    return notSubmittedExit;
  }
  if (end === undefined)
    throw new VtrError('INTERNAL_ERROR', 'the coordinator returned no wait result');
  if (asJson) {
    printJson(context, { ...sentJson(session, waitResult), wait: waitJson(session, end) });
  } else {
    if (printsNew) printNewOutput(context, end, typed);
    printWait(context, shown, end, flags, patterns);
  }
  return statusOfWait(end, flags, patterns);
}

/**
 * Sends input that no person holds up: refused input is sent again when the person has stopped.
 *
 * @param timeoutMs of each wait for the person; default: 10 minutes
 * @throws VtrError NOT_DRIVER if the person goes on, or the epoch is old
 */
async function afterPersons<T>(
  { coordinator, session }: Target,
  send: () => Promise<T>,
  timeoutMs = 600_000,
): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      // Without a person who drives, the input carried an old epoch.
      if (!isVtrError(error) || error.code !== 'NOT_DRIVER' || !error.details?.['driver'])
        throw error;
      const { outcome } = await coordinator.wait(session, { driver: true, timeoutMs });
      if (outcome !== 'driver') throw error;
    }
  }
}

/** A wait without a condition would end with the program. At a shell's prompt, the command is meant. */
async function withCondition(
  { coordinator, session }: Target,
  flags: SendFlagValues,
): Promise<SendFlagValues> {
  if (flags.wait !== '' || conditionsIn(flags).length > 0) return flags;
  const { evidence } = await coordinator.activity(session);
  const isAtPrompt = evidence.shellMark === 'prompt' && evidence.leaderInForeground !== false;
  return isAtPrompt ? { ...flags, finished: true } : flags;
}

function printNewOutput(context: Context, end: WaitResult, typed: string): void {
  const tail = newOutput(end, typed);
  if (tail !== '') printExcerpt(context, { ...end.output, tail });
}

/** The most places that are listed. */
const maxPlaces = 20;

/** Tells why nothing was sent. */
function tellIgnored(
  context: Context,
  { session, shown }: Pick<Target, 'session' | 'shown'>,
  { mark, matches }: SendMouseResult,
  asJson: boolean,
): number {
  context.say(`session ${shown}: not sent: ${reasonOf(matches)}`);
  if (asJson)
    printJson(context, { name: session, mark, ignored: true, ...defined({ found: matches }) });
  return noExit;
}

function reasonOf(matches: SendMouseResult['matches']): string {
  if (matches === undefined || matches.length === 1) {
    return 'the program did not request these events of the mouse';
  }
  if (matches.length === 0) return 'no text on the screen matches';
  const places = matches.slice(0, maxPlaces).map(({ row, col, text }) => {
    return `\n  ${row},${col} ${sanitize(text).text}`;
  });
  const rest = matches.length > maxPlaces ? '\n  ...' : '';
  return `${matches.length} places on the screen match:${places.join('')}${rest}`;
}

const sentJson = (name: string, { mark, driverEpoch, shown, sentAs, submitted }: SendResult) => ({
  name,
  mark,
  driver_epoch: driverEpoch ?? null,
  ...defined({ shown, sent_as: sentAs, submitted }),
});

/** Tells what is known of the input: whether the program took it, shows it, or received other keys. */
function tellReceipt(context: Context, name: string, receipt: InputReceipt): void {
  tellCut(context, name, receipt);
  for (const [key, text] of Object.entries(receipt.sentAs ?? {})) {
    context.say(
      `session ${name}: the program received ${text} for ${key}: it has not asked for such keys`,
    );
  }
  if (receipt.submitted === false) {
    context.say(
      `session ${name}: not submitted: the text is still where it was typed, or the program did nothing`,
    );
  }
  if (receipt.shown === false) {
    context.say(
      `session ${name}: the program did not show the text before enter, and may wait for the next key; ` +
        'use --submit for prompts of agents',
    );
  }
}

/** Warns about input that the terminal truncated. */
function tellCut(context: Context, shown: string, { lineCutAtBytes }: InputReceipt): void {
  if (lineCutAtBytes === undefined) return;
  context.say(
    `warning: session ${shown}: the terminal is in canonical mode; lines over ${lineCutAtBytes} bytes ` +
      'are truncated; send shorter lines, or have the program read a file',
  );
}

/** How much new output a wait prints that was sent with input. The rest is counted on stderr. */
const newOutputBudget = { maxLines: 200, maxBytes: 16 * 1024 } as const;

/** The outcomes that tell where the output ends. After a match, only the line that matches is printed. */
const printed: readonly string[] = [
  ...['finished', 'prompt', 'awaiting_input', 'password', 'idle', 'agent'],
  ...['exited', 'timed_out'],
];

/**
 * Returns the output that a program printed after an input: without the echo of the input, which comes first,
 * without the prompt that follows, and without the question, which is printed by itself.
 *
 * @param typed the text that was sent
 */
export function newOutput({ outcome, output, question, menu }: WaitResult, typed: string): string {
  if (!printed.includes(outcome)) return '';
  const { omitted, tail } = output;
  const text = omitted === null ? withoutEcho(tail, typed) : tail;
  if (outcome === 'prompt') return text.slice(0, Math.max(0, text.lastIndexOf('\n')));
  // A menu of bash has its title below the options.
  const lines = menu ? [menu.title, ...menu.options] : [question?.trimEnd() ?? ''];
  const begins = lines.map((each) => (each === '' ? -1 : text.lastIndexOf(each)));
  const begin = Math.min(...begins.filter((at) => at >= 0), text.length);
  const end = begin === text.length ? begin : text.lastIndexOf('\n', begin) + 1;
  return text.slice(0, end).trimEnd();
}

/** A key with ctrl, as the terminal echoes it. */
const controlEcho = /^(?:\^[@-_?])+$/;

/** What shells and Python show for the rest of a command. */
const secondPrompt = /^(?:>|\.\.\.)$/;

function withoutEcho(output: string, typed: string): string {
  const [first = '', ...lines] = output.split('\n');
  const [begin = '', ...more] = typed.split(/\r\n?|\n/);
  const rest = behind(first, begin);
  // More right behind it is the program's own text, which begins like the input.
  if (rest === null || (begin.trim() !== '' && /^\S/.test(rest))) return output;
  // Further lines are behind prompts of their own.
  for (const each of more) {
    const shown = lines[0]?.trimEnd() ?? '';
    const isEcho = each.trim() === '' ? secondPrompt.test(shown) : shown.endsWith(each.trimEnd());
    if (isEcho) lines.shift();
    else if (each.trim() !== '') break;
  }
  // Nothing was typed before the blanks of the program, such as those left of a dialog.
  const own = begin.trim() === '' ? rest : rest.trimStart();
  const isNothing = rest.trim() === '' || controlEcho.test(rest.trim());
  return [...(isNothing ? [] : [own]), ...lines].join('\n');
}

/** Returns what follows a text at the beginning of a line, blanks aside; null if it does not begin with it. */
function behind(line: string, text: string): string | null {
  const characters = [...text].filter((each) => each.trim() !== '');
  let at = 0;
  for (const each of characters) {
    while (at < line.length && line.charAt(at).trim() === '') at++;
    if (!line.startsWith(each, at)) return null;
    at += each.length;
  }
  return line.slice(at);
}
