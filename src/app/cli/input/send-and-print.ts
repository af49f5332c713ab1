import { type InputReceipt, type SendOptions, type SendResult, VtrError } from '#model';
import { duration, type Flag, type FlagValues, toggle } from '../arguments/flags.ts';
import { waitFlags, waitFlagsIn, waitRequest } from '../arguments/wait-flags.ts';
import type { Context } from '../context.ts';
import type { Target } from '../coordinators/addressing.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { waitJson } from '../output/session-json.ts';
import { printWait, statusOfWait } from '../output/wait-text.ts';

const wait: Flag<string> & { bare: true } = {
  about: 'wait for what it brings about: output that matches, or what the flags of vtr wait say',
  value: 'RE',
  bare: true,
  read: (given) => given,
};

/** What every verb takes that sends input. */
export const sendFlags = {
  json: toggle('print the mark before the input, and how the wait ended, as JSON'),
  timeout: duration(
    'how long it may take to be accepted, 5s if not given; with --wait the wait, 30s',
  ),
  wait,
  ...waitFlags,
};

export const sendDetails = [
  'Returns when the terminal of the program has taken all of it; with --wait, when what it is to bring about has come: the wait is on before the first byte is written. The flags of vtr wait say what else to wait for and what is printed, and its exit status is the one of vtr wait.',
] as const;

type SendFlagValues = FlagValues<typeof sendFlags>;

/**
 * Sends input, waits where that is asked for, and prints how it ended.
 *
 * @param send called once
 * @returns the exit status
 * @throws VtrError INVALID_ARGUMENT
 */
export async function sendAndPrint(
  context: Context,
  { session }: Target,
  flags: SendFlagValues,
  send: (options: SendOptions) => Promise<SendResult>,
): Promise<number> {
  const timeout = flags.timeout === undefined ? {} : { timeoutMs: flags.timeout };
  if (flags.wait === undefined) {
    const { mark, ...receipt } = await send(timeout);
    tellCut(context, session, receipt);
    if (flags.json) printJson(context, { name: session, mark });
    return 0;
  }
  const asJson = await wantsJson(context, flags);
  const patterns = flags.wait === '' ? [] : [flags.wait];
  const request = { ...waitRequest(flags, patterns, asJson), ...timeout };
  const { mark, wait: end, ...receipt } = await send({ wait: request });
  tellCut(context, session, receipt);
  if (end === undefined) throw new VtrError('INTERNAL_ERROR', 'the coordinator did not wait');
  if (asJson) printJson(context, { name: session, mark, wait: waitJson(session, end) });
  else printWait(context, session, end, flags, patterns);
  return statusOfWait(end, flags, patterns);
}

/** What is there to wait for has to be asked for. @throws VtrError INVALID_ARGUMENT */
export function checkSendFlags(flags: SendFlagValues): void {
  const [first] = flags.wait === undefined ? waitFlagsIn(flags) : [];
  if (first === undefined) return;
  throw new VtrError('INVALID_ARGUMENT', `--${first} says how to wait; add --wait`);
}

/** Warns about input that the terminal truncated. */
function tellCut(context: Context, session: string, { lineCutAtBytes }: InputReceipt): void {
  if (lineCutAtBytes === undefined) return;
  context.say(
    `warning: session ${session}: the terminal is in canonical mode; lines over ${lineCutAtBytes} bytes ` +
      'are truncated. Send shorter lines, or let the program read a file',
  );
}
