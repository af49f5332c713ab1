// The file that Node runs as `vtr`.
import { launch } from '#app/launch';
import { askDaemon, print } from './ask-daemon.ts';
import {
  flagsOfVerb,
  lateFlagsOfVerb,
  shortVerbOf,
  versionWords,
} from './verbs/short-verb-names.ts';

declare const VTR_VERSION: string;

const [first = '', second] = process.argv.slice(2);
if (second === undefined && versionWords.includes(first)) {
  // The code of the verbs takes 9 ms.
  print(1, Buffer.from(`vtr ${VTR_VERSION}\n`));
} else askDaemon(__filename, run);

function run(): void {
  const words = process.argv.slice(2);
  const verb = shortVerbOf(words);
  const bundle = verb === null ? 'vtr-command.cjs' : `vtr-short-${verb}.cjs`;
  const flags = flagsOfVerb(words, process.execArgv);
  launch(bundle, __dirname, require, flags, lateFlagsOfVerb(words));
}
