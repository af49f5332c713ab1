import { installFlags } from '../arguments/shared-flags.ts';
import { completionChanges, completionShells } from '../completion/install-completion.ts';
import { noExit } from '../exit-codes.ts';
import { offerChange } from '../hooks/install-hooks.ts';
import { defineVerb } from '../verb.ts';

export const completionInstall = defineVerb({
  name: 'completion install',
  summary: 'install the completion for your shell',
  args: {
    shell: {
      about: `${completionShells.join(', ')}; without it, that of SHELL`,
      optional: true,
      completes: completionShells,
    },
  },
  flags: installFlags('it', 'the changes'),
  details: [
    'Shows each change of a file, and asks before it writes it. The file asks vtr for the completion when it is first used, so it stays right when vtr is upgraded. Where it is:',
    [
      ['bash', '~/.local/share/bash-completion/completions/vtr, for the package bash-completion'],
      ['fish', '~/.local/share/fish/vendor_completions.d/vtr.fish'],
      [
        'zsh',
        '_vtr in a directory of your own that is in fpath, such as ~/.zfunc. If there is none, ~/.local/share/zsh/site-functions, and four lines at the end of ~/.zshrc',
      ],
    ],
    'XDG_DATA_HOME, BASH_COMPLETION_USER_DIR and ZDOTDIR are respected.',
    `Exit status: ${noExit} if a change was shown and not written; 0 with --dry-run.`,
  ],
  examples: [
    { line: 'vtr completion install', about: 'for your shell: show the change, ask, and write it' },
    { line: 'vtr completion install zsh --yes', about: 'write it without asking' },
    { line: 'vtr completion install fish --remove', about: 'remove it again' },
  ],
  async run(context, { args: { shell = null }, flags: { remove, yes, 'dry-run': isTry } }) {
    let exit: number | undefined;
    for (const change of await completionChanges(context, shell, remove)) {
      const mode = isTry ? 'show' : yes ? 'write' : 'ask';
      exit = (await offerChange(context, change, mode)) ?? exit;
    }
    return exit;
  },
});
