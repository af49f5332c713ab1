import { VtrError } from '#model';

/** How a tape's shell is started: without start-up files, with the prompt `> `. */
interface ShellStart {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const prompt = '> ';
const posix: ShellStart = { args: [], env: { PS1: prompt } };

const shells: Readonly<Record<string, ShellStart>> = {
  bash: {
    args: ['--noprofile', '--norc'],
    env: { PS1: prompt, BASH_SILENCE_DEPRECATION_WARNING: '1' },
  },
  zsh: { args: ['--no-rcs', '--histnostore'], env: { PROMPT: prompt, RPROMPT: '' } },
  fish: {
    args: [
      ...['--no-config', '--private'],
      ...['-C', 'function fish_greeting; end', '-C', 'function fish_prompt; echo -n "> "; end'],
    ],
  },
  sh: posix,
  dash: posix,
  ksh: posix,
  mksh: posix,
  nu: {
    args: [
      '--no-config-file',
      '--execute',
      "$env.PROMPT_COMMAND = {'> '}; $env.PROMPT_COMMAND_RIGHT = {''}",
    ],
  },
  osh: { args: ['--norc'], env: { PS1: prompt } },
  xonsh: { args: ['--no-rc', '-D', `PROMPT=${prompt}`] },
  pwsh: {
    args: ['-NoLogo', '-NoExit', '-NoProfile', '-Command', "function prompt { '> ' }"],
  },
};

/** @throws VtrError INVALID_ARGUMENT for a shell that is not known */
export function shellStart(shell: string) {
  const start = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (start === undefined) {
    const known = Object.keys(shells).join(', ');
    throw new VtrError('INVALID_ARGUMENT', `there is no shell ${shell} for tapes; use ${known}`);
  }
  return { program: shell, args: start.args, env: start.env ?? {} };
}
