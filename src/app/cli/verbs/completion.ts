import { VtrError } from '#model';
import { bashCompletion, fishCompletion, zshCompletion } from '../completion/scripts.ts';
import { completedVerbs } from '../completion/words.ts';
import { defineVerb, type Verb } from '../verb.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
const shells = Object.keys(scripts) as (keyof typeof scripts)[];

/** @param allVerbs loads the verbs to complete, this one included */
export const completionOf = (allVerbs: () => Promise<readonly Verb[]>): Verb =>
  defineVerb({
    name: 'completion',
    summary: 'print a shell completion script',
    args: {
      shell: {
        about: 'bash, zsh or fish; or json, which prints all verbs for other programs',
        completes: [...shells, 'json'],
      },
    },
    flags: {},
    examples: [
      { line: 'vtr completion install', about: 'install it for your shell instead' },
      { line: 'eval "$(vtr completion bash)"', about: 'add to ~/.bashrc' },
      { line: 'eval "$(vtr completion zsh)"', about: 'add to ~/.zshrc, after compinit' },
      { line: 'vtr completion fish | source', about: 'add to config.fish' },
    ],
    async run(context, { args }) {
      if (args.shell === 'json') {
        context.out(`${JSON.stringify(completedVerbs(await allVerbs()))}\n`);
        return undefined;
      }
      const shell = shells.find((each) => each === args.shell);
      if (shell === undefined) {
        throw new VtrError(
          'INVALID_ARGUMENT',
          `no completion for ${args.shell}; use one of ${shells.join(', ')}`,
        );
      }
      context.out(scripts[shell](completedVerbs(await allVerbs())));
      return undefined;
    },
  });
