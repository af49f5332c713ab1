// The `vtr` command with the verbs of `shortVerbs`.
import { checkUtf8, parseArguments } from './arguments/parse-arguments.ts';
import { contextOfProcess } from './process-context.ts';
import { statusOf } from './status-of.ts';
import { shortVerbOf } from './verbs/short-verb-names.ts';
import { shortVerbs } from './verbs/short-verbs.ts';

const words = process.argv.slice(2);
const name = shortVerbOf(words);
const context = contextOfProcess('vtr');

statusOf(context, async () => {
  if (name === null) throw new Error('not a short verb');
  checkUtf8(words);
  const verb = await shortVerbs[name]();
  return verb.run(context, parseArguments(verb, words.slice(1)));
}).then((status) => context.end(status));
