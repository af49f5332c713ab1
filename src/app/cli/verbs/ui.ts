import { VtrError } from '#model';
import { text } from '../arguments/flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import { chosenCoordinators, linkOptions } from '../coordinators/known-coordinators.ts';
import { defineVerb } from '../verb.ts';
import { uiKeys } from './key-help.gen.ts';

export const ui = defineVerb({
  name: 'ui',
  summary: 'show all sessions in this terminal, those that need you first',
  args: {},
  flags: {
    ...reach,
    leader: text(
      'KEY',
      'key before the commands of an attached session (default: ctrl+b), or none',
    ),
  },
  details: [
    'Lists the sessions of all known coordinators: what each is doing and says, its command, directory and driver. The selected session is shown live.',
    'A click selects, a double click attaches. Keys:',
    uiKeys,
    'The keys are configured by [keys.ui] in config.toml.',
    'An answer is sent only if the session still asks what is shown.',
  ],
  examples: [
    { line: 'vtr ui', about: 'show all sessions' },
    { line: 'vtr ui --coordinator ci', about: 'show the sessions of one coordinator' },
  ],
  async run(context, { flags }) {
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      const message = 'vtr ui needs a terminal at stdin and stdout; in a script, use vtr ls';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const [{ linkTo, ui: show }, { attach: configured, keys }] = await Promise.all([
      import('#app/tui'),
      context.config(),
      // A name that is not known is an error before anything is shown.
      chosenCoordinators(context, flags.coordinator),
    ]);
    await show({
      env: context.env,
      links: async () => {
        const known = await chosenCoordinators(context, flags.coordinator);
        return known.map((each) => linkTo(linkOptions(context, each)));
      },
      leader: flags.leader ?? configured.leader,
      keys,
      statusLine: configured.status,
      clipboard: configured.clipboard === 'write',
    });
    return undefined;
  },
});
