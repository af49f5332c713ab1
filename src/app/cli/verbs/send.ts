import { type SendTextOptions, VtrError } from '#model';
import { findSession } from '../addressing.ts';
import { reach } from '../common-flags.ts';
import type { Context } from '../context.ts';
import { duration, toggle } from '../flags.ts';
import { readText } from '../read-text.ts';
import { sessionArgument } from '../session-argument.ts';
import { tellCut } from '../tell-cut.ts';
import { defineVerb } from '../verb.ts';

/** What the enter key sends where the program has not asked for something else. */
const enter = '\r';

export const send = defineVerb({
  name: 'send',
  summary: 'type text into a session',
  args: {
    session: sessionArgument,
    text: { about: 'the text, in quotes; not with --stdin', optional: true },
  },
  flags: {
    ...reach,
    enter: toggle('press enter after it', { short: 'e' }),
    stdin: toggle('read the text from stdin'),
    paste: toggle('as a paste, where the program knows what that is (bracketed paste)'),
    timeout: duration('how long the program may take to accept it; 5s if not given'),
  },
  details: ['Returns when the terminal of the program has taken all of it.'],
  examples: [
    { line: 'vtr send codex "make test" --enter', about: 'a command and the enter key' },
    { line: 'vtr send edit --stdin --paste < patch.diff', about: 'a file, pasted' },
  ],
  async run(context, { args, flags }) {
    const text = await textOf(context, args.text, flags.stdin);
    const { coordinator, session } = await findSession(context, args.session, flags);
    const timeout = flags.timeout === undefined ? {} : { timeoutMs: flags.timeout };
    const send = async (some: string, options: SendTextOptions = {}) =>
      tellCut(
        context,
        session,
        await coordinator.sendText(session, some, { ...options, ...timeout }),
      );
    if (flags.paste) {
      if (text !== '') await send(text, { paste: 'auto' });
      if (flags.enter) await send(enter);
    } else {
      await send(flags.enter ? text + enter : text);
    }
    return undefined;
  },
});

/** @throws VtrError INVALID_ARGUMENT */
async function textOf(
  context: Context,
  given: string | undefined,
  stdin: boolean,
): Promise<string> {
  if (stdin === (given !== undefined)) {
    throw new VtrError('INVALID_ARGUMENT', 'give the text as an argument or by --stdin');
  }
  return given ?? readText(context);
}
