// The `vtr` command with one of the short verbs. The build makes a bundle of this file and each verb.
import { checkUtf8, parseArguments } from './arguments/parse-arguments.ts';
import { statusOf } from './exit-codes.ts';
import { asOutputIs, withJsonMessages } from './output/messages.ts';
import { contextOfProcess } from './process-context.ts';
import type { Verb } from './verb.ts';
import { asksForJson } from './verbs/short-verb-names.ts';

/** Runs this process as the command with the words `verb ...`. */
export function runVerb(verb: Verb): void {
  const words = process.argv.slice(2);
  const own = contextOfProcess('vtr');
  asOutputIs(asksForJson(words) ? withJsonMessages(own) : own, verb)
    .then((context) =>
      statusOf(context, async () => {
        checkUtf8(words);
        return verb.run(context, parseArguments(verb, words.slice(1)));
      }),
    )
    .then((status) => own.end(status));
}
