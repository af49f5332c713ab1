import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { isInstalled, needs, provided } from '../support/run/needs.ts';
import { ShellSession } from '../support/session/shell-session.ts';

// Prompts and hooks as popular frameworks make them: they mark prompts themselves, put their own hooks last, set
// the prompt each time, draw it again and print from hooks. The marks of vtr come through.

let shell: ShellSession | null = null;

afterEach(async () => {
  await shell?.dispose();
  shell = null;
});

type Program = 'bash' | 'zsh' | 'fish';

const files: Readonly<Record<Program, string>> = {
  bash: '.bashrc',
  zsh: '.zshrc',
  fish: '.config/fish/config.fish',
};

const steps = (program: Program) => [
  ['echo hi', 0, 'hi'],
  ['false', 1, ''],
  ["sh -c 'exit 3'", 3, ''],
  ['printf abc', 0, 'abc'],
  // Marks without a proof.
  [String.raw`printf '\033]133;D;7\a\033]133;A\a\033]133;B\a'; echo x`, 0, 'x'],
  program === 'fish'
    ? ['for i in 1 2\necho $i\nend', 0, '1\n2']
    : ['for i in 1 2; do\necho $i\ndone', 0, '1\n2'],
];

/** Runs some lines, each as soon as the prompt is shown, and compares what the ledger says. */
async function check(program: Program, rc: string, env: Readonly<Record<string, string>> = {}) {
  shell = await ShellSession.start(program, { files: { [files[program]]: rc }, env });
  const { session } = shell;
  const { commands } = session.view;
  const isReady = () => commands.prompt !== null;
  await shell.until(isReady);
  const rows = [];
  for (const [line] of steps(program)) {
    const count = shell.commands.length;
    await session.sendText(String(line), { paste: 'auto' });
    await session.sendText('\r', {});
    await shell.until(() => (shell?.commands.length ?? 0) > count && isReady());
    // At once: what a hook prints after the command is not its output.
    const command = shell.commands[count];
    if (command !== undefined) rows.push([line, ...shell.row(command).slice(1)]);
  }
  expect(rows).toEqual(steps(program));
  expect(commands.integration).toBe('integrated');
  expect(shell.commands).toHaveLength(steps(program).length);
}

const osc = (mark: string) => String.raw`\e]133;${mark}\a`;

/** What start files do. */
const kinds: Readonly<Record<Program, readonly (readonly [string, string])[]>> = {
  bash: [
    ['a function with marks, never called', `f() { printf '${osc('C')}'; }; PS1='$ '`],
    [
      'marks in all prompts',
      `PS1='\\[${osc('A')}\\]$ \\[${osc('B')}\\]'; PS0='${osc('C')}'
       PROMPT_COMMAND='printf "${osc('D')}"'`,
    ],
    [
      'marks that end with a backslash, and ends without a status',
      [
        String.raw`PS1='\[\e]133;A\e\\\]\w\$ '; PS0+='\e]133;C\e\\'`,
        String.raw`done_() { printf '\e]133;D\e\\'; }`,
        'PROMPT_COMMAND="$PROMPT_COMMAND;"done_',
      ].join('\n'),
    ],
    [
      'a prompt that is made anew by a substitution, with marks',
      `hook() { PS1='$(make)'; shopt -s promptvars; }; PROMPT_COMMAND=(hook)
       make() { local text=$'\\\\[${osc('A')}\\\\]top\\n> \\\\[${osc('B')}\\\\]'; echo "\${text@P}"; }`,
    ],
    [
      'a hook that puts itself first and loses the status',
      `hook() { PROMPT_COMMAND="other"$'\\n'"\${PROMPT_COMMAND//other$'\\n'/}"; true; }
       other() { PS1='new $ '; true; }; PROMPT_COMMAND=(true hook)`,
    ],
    [
      'a list of commands that is set each time',
      `hook() { PROMPT_COMMAND=(hook); PS1='$ '; }; PROMPT_COMMAND=(hook)`,
    ],
  ],
  zsh: [
    ['a function with marks, never called', `f() { print -n '${osc('A')}' }; PS1='%1~ %% '`],
    [
      'marks in prompts and hooks',
      `PS1='%{${osc('A')}%}%~ > %{${osc('B')}%}'; precmd() { print -n '${osc('D')}' }
       preexec() { print -n '${osc('C')}' }`,
    ],
    [
      'hooks that put themselves first and last, and set the prompt',
      `first() { true }; last() { PS1="%~ $1\${?}> "; RPS1='right'
         precmd_functions=(first \${precmd_functions:#(first|last)} last)
         preexec_functions=(\${preexec_functions:#executed} executed) }
       executed() { print -n '${osc('C')}' }
       precmd_functions=(first $precmd_functions last); preexec_functions+=(executed)`,
    ],
    [
      'a prompt of two lines that becomes a short one',
      `setopt prompt_subst; PS1=$'╭ %~\\n╰ '; RPS1='%T'; long=$PS1
       finish() { PS1='> ' RPS1=; zle .reset-prompt; zle -R }; zle -N zle-line-finish finish
       precmd() { PS1=$long RPS1='%T' }`,
    ],
    [
      'a prompt that becomes a short one in an editor inside the editor',
      `PS1=$'top\\n> '; long=$PS1; precmd() { PS1=$long }
       init() { [[ $CONTEXT == start ]] || return 0; print -rn -- $zle_bracketed_paste[1]
         zle .recursive-edit; local code=$?; print -rn -- $zle_bracketed_paste[2]
         PS1='> '; zle .reset-prompt; (( code )) && zle .send-break; zle .accept-line; return $code }
       zle -N zle-line-init init`,
    ],
    [
      'a prompt that is made of its last line each time',
      `make() { PS1="%~"$'\\n'"\${PS1##*$'\\n'}" }; PS1='> '; precmd_functions+=(make)`,
    ],
    [
      'instant output before the first prompt',
      `print -n 'loading'; print -n '${osc('A')}> ${osc('B')}'; unsetopt prompt_cr prompt_sp
       late() { setopt prompt_cr prompt_sp }; zmodload zsh/sched
       once() { sched +0 late; precmd_functions=(\${precmd_functions:#once}) }; precmd_functions+=(once)`,
    ],
  ],
  fish: [
    [
      'a function with marks, never called',
      `function f --on-event fish_preexec; test -n "$NEVER"; or return; printf '${osc('C')}'; end`,
    ],
    [
      'marks in prompts and hooks',
      `function fish_prompt; printf '${osc('A')}> ${osc('B')}'; end
       function f --on-event fish_preexec; printf '${osc('C')}'; end
       function g --on-event fish_postexec; printf '${osc('D')}'; end`,
    ],
    ['a hook that prints after commands', 'function g --on-event fish_postexec; echo told; end'],
    [
      'a prompt of two lines that becomes a short one',
      `function fish_prompt; if set -q short; echo -n '> '; else; echo 'top'; echo -n '> '; end; end
       function fish_right_prompt; echo right; end
       function go; set -g short 1; commandline -f repaint execute; end
       function back --on-event fish_postexec; set -e short; end
       function fish_user_key_bindings; bind \\r go; end`,
    ],
  ],
};

for (const program of ['bash', 'zsh', 'fish'] as const) {
  describe(`${program} marks its commands with`, () => {
    for (const [title, rc] of kinds[program]) {
      needs(program)(title, () => check(program, `${rc}\n`));
    }
  });
}

describe('zsh, while a hook puts itself last,', () => {
  needs('zsh')('calls a trap of errors once for each', async () => {
    const trap = `TRAPZERR() { print error >>~/errors }; last() { PS1='> '
      precmd_functions=(\${precmd_functions:#last} last) }; precmd_functions+=(last)\n`;
    await check('zsh', trap);
    const errors = readFileSync(join(shell?.home ?? '', 'errors'), 'latin1');
    expect(errors).toBe('error\nerror\n');
  });
});

/** Where frameworks that are only scripts are looked for. */
const places = [process.env['VTR_TEST_THEMES'], homedir(), '/usr/share'].filter(
  (place): place is string => place !== undefined && place !== '',
);

function placeOf(...paths: string[]): string | null {
  const all = places.flatMap((place) => paths.map((path) => join(place, path)));
  return all.find((path) => existsSync(path)) ?? null;
}

const p10k = placeOf('powerlevel10k/powerlevel10k.zsh-theme');
const p10kRc = (more: string, before = '') => `${before}
POWERLEVEL9K_DISABLE_CONFIGURATION_WIZARD=true; POWERLEVEL9K_DISABLE_GITSTATUS=true
source ${p10k}; source ${p10k?.replace(/[^/]*$/, 'config/p10k-classic.zsh')}\n${more}`;
const instant = [
  `cache="$HOME/.cache/p10k-instant-prompt-\${(%):-%n}.zsh"`,
  'if [[ -r $cache ]]; then source $cache; fi',
].join('\n');
const preexec = placeOf('bash-preexec/bash-preexec.sh', 'bash-preexec.sh', '.bash-preexec.sh');
const ohMyZsh = placeOf('ohmyzsh/oh-my-zsh.sh', '.oh-my-zsh/oh-my-zsh.sh');
const bashIt = placeOf('bash-it/bash_it.sh', '.bash_it/bash_it.sh');
const folder = (path: string | null) => path?.replace(/\/[^/]*$/, '');

/** The program, its scripts if that is all there is, and the start file. */
const scripts: readonly (readonly [string, Program, string | null, string])[] = [
  ['powerlevel10k', 'zsh', p10k, p10kRc('')],
  ['powerlevel10k, instant prompt', 'zsh', p10k, p10kRc('', instant)],
  ['powerlevel10k, own marks', 'zsh', p10k, p10kRc('POWERLEVEL9K_TERM_SHELL_INTEGRATION=true')],
  ['powerlevel10k, transient', 'zsh', p10k, p10kRc('POWERLEVEL9K_TRANSIENT_PROMPT=always')],
  [
    'oh-my-zsh',
    'zsh',
    ohMyZsh,
    `ZSH=${folder(ohMyZsh)}; ZSH_THEME=agnoster; plugins=(git)
zstyle ':omz:update' mode disabled; ZSH_DISABLE_COMPFIX=true; source ${ohMyZsh}`,
  ],
  ['bash-it', 'bash', bashIt, `BASH_IT=${folder(bashIt)}; BASH_IT_THEME=bobby; . ${bashIt}`],
  ['bash-preexec', 'bash', preexec, `. ${preexec}; precmd() { false; }; preexec() { false; }`],
];

describe('a shell marks its commands with the real', () => {
  for (const [title, program, path, rc] of scripts) {
    const run =
      path === null ? provided(false, 'needs its scripts in $VTR_TEST_THEMES') : needs(program);
    run(title, () => check(program, `${rc}\n`));
  }
  for (const tool of ['starship', 'atuin', 'oh-my-posh']) {
    for (const program of ['bash', 'zsh', 'fish'] as const) {
      const before =
        tool === 'atuin' && program === 'bash' && preexec !== null ? `. ${preexec}\n` : '';
      const init =
        program === 'fish' ? `${tool} init fish | source` : `eval "$(${tool} init ${program})"`;
      const test = isInstalled(tool) ? needs(program) : needs(tool);
      test(`${tool} in ${program}`, () =>
        check(program, `${before}${init}\n`, { PATH: process.env['PATH'] ?? '' }));
    }
  }
});
