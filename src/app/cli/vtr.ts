// The file that Node runs as `vtr`.
import { launch } from '#app/launch';
import { shortVerbOf } from './verbs/short-verb-names.ts';

const verb = shortVerbOf(process.argv.slice(2));
launch(verb === null ? 'vtr-command.cjs' : `vtr-short-${verb}.cjs`, __dirname, require);
