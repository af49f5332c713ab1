// The file that Node runs as `vtr`.
import { launch } from '#app/launch';
import { askDaemon } from './ask-daemon.ts';
import { flagsOfVerb, lateFlagsOfVerb, shortVerbOf } from './verbs/short-verb-names.ts';

askDaemon(__filename, () => {
  const words = process.argv.slice(2);
  const verb = shortVerbOf(words);
  const bundle = verb === null ? 'vtr-command.cjs' : `vtr-short-${verb}.cjs`;
  const flags = flagsOfVerb(words, process.execArgv);
  launch(bundle, __dirname, require, flags, lateFlagsOfVerb(words));
});
