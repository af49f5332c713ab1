import { defined } from '#base';
import { checkInputId, type SendOptions, type SendResult, VtrError } from '#model';
import { type FlagValues, toggle } from '../arguments/flags.ts';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { checkWaitFlags } from '../arguments/wait-flags.ts';
import type { Context } from '../context.ts';
import { findSession, type Target } from '../coordinators/addressing.ts';
import { notSubmittedExit } from '../exit-codes.ts';
import { readStdinText } from '../input/read-stdin.ts';
import { sendAndPrint, sendDetails, sendFlags } from '../input/send-and-print.ts';
import { defineVerb } from '../verb.ts';

/** The bytes of the enter key, unless the program has changed its mode. */
const enter = '\r';

const flags = {
  ...reach,
  enter: toggle('press enter after the text', { short: 'e' }),
  stdin: toggle('read the text from stdin'),
  paste: toggle('send as a paste if the program supports bracketed paste'),
  submit: toggle('for prompts of agents: paste, press enter, and check that the program took it'),
  ...sendFlags,
};

export const send = defineVerb({
  name: 'send',
  summary: 'type text into a session',
  args: {
    session: sessionArgument,
    text: { about: 'text to type, in quotes; not with --stdin', optional: true },
  },
  flags,
  details: [
    `--submit gives a prompt to an agent. It pastes the text if the program supports that, presses enter separately, and succeeds when the text has left the place where it was typed, or the program went on. Otherwise it presses enter once more. If that does not help, the exit status is ${notSubmittedExit}, and --wait has no effect. While the program shows a menu, such as a permission dialog, nothing is typed, and the exit status is ${notSubmittedExit}, too. vtr prompt also waits for the end of the turn, and does not prompt a busy agent.`,
    '--enter sends the text and the key, and does not check.',
    ...sendDetails,
  ],
  examples: [
    { line: 'vtr send codex "fix the test" --submit', about: 'give a prompt to an agent' },
    { line: 'vtr send build "make test" --enter', about: 'type a command and press enter' },
    { line: 'vtr send build "make test" -e --wait "PASS|FAIL"', about: 'and wait for its end' },
    {
      line: 'vtr send build "make" -e --wait --finished --timeout 1h',
      about: 'until the command ends',
    },
    { line: 'vtr send edit --stdin --paste < patch.diff', about: 'paste a file' },
  ],
  async run(context, { args, flags }) {
    checkWaitFlags(flags);
    const text = await textOf(context, args.text, flags.stdin);
    const target = await findSession(context, args.session, flags);
    const send = (options: SendOptions) => type(target, text, flags, options);
    return sendAndPrint(context, target, flags, send, 'vtr send', text);
  },
});

function type(
  target: Target,
  text: string,
  { paste, enter: withEnter, submit }: FlagValues<typeof flags>,
  options: SendOptions,
): Promise<SendResult> {
  const { coordinator, session } = target;
  if (submit) return submitted(target, text, options);
  if (!paste) return coordinator.sendText(session, withEnter ? text + enter : text, options);
  if (!withEnter) return coordinator.sendText(session, text, { paste: 'supported', ...options });
  return pasteAndEnter(target, text, options);
}

/** A daemon of an earlier version ignores the request, and does not tell. */
async function submitted(
  { coordinator, session }: Target,
  text: string,
  options: SendOptions,
): Promise<SendResult> {
  const result = await coordinator.sendText(session, text, {
    ...options,
    submit: true,
    queue: true,
  });
  return { ...result, submitted: result.submitted === true };
}

/** Sends enter outside the paste. The wait also matches output that the paste causes. */
async function pasteAndEnter(
  { coordinator, session }: Target,
  text: string,
  { wait, ...options }: SendOptions,
): Promise<SendResult> {
  const { inputId } = options;
  // Two inputs, each with an id of its own.
  const own = inputId === undefined ? {} : { inputId: checkInputId(`${inputId}.enter`) };
  if (text === '')
    return coordinator.sendText(session, enter, { ...options, ...defined({ wait }) });
  const { mark, ...receipt } = await coordinator.sendText(session, text, {
    paste: 'supported',
    ...options,
  });
  const pressed = { ...options, ...own };
  const rest = wait === undefined ? pressed : { ...pressed, wait: { since: mark, ...wait } };
  return { ...receipt, ...(await coordinator.sendText(session, enter, rest)), mark };
}

/** @throws VtrError INVALID_ARGUMENT */
async function textOf(context: Context, text: string | undefined, stdin: boolean): Promise<string> {
  if (stdin === (text !== undefined)) {
    throw new VtrError('INVALID_ARGUMENT', 'give the text either as an argument or with --stdin');
  }
  return text ?? readStdinText(context);
}
