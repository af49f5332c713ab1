import { describe, expect } from 'vitest';
import { needs } from '../support/run/needs.ts';
import {
  type CommandRow,
  ShellSession,
  type ShellSetup,
} from '../support/session/shell-session.ts';

const start = ShellSession.atPrompt;

const bash = (rc: string): ShellSetup => ({ files: { '.bashrc': `PS1='$ '\n${rc}\n` } });
const zsh = (rc: string): ShellSetup => ({ files: { '.zshrc': `PS1='$ '\n${rc}\n` } });
const fish = (rc: string): ShellSetup => ({
  files: { '.config/fish/config.fish': `function fish_prompt; echo -n '$ '; end\n${rc}\n` },
});

/** A command whose line, or of which nothing, is checked. */
const rowOf = (code: number, output: string): CommandRow => [expect.any(String), code, output];
const any = rowOf(0, expect.any(String));

const shells: Readonly<Record<string, (rc: string) => ShellSetup>> = { bash, zsh, fish };
const plain = (program: string, rc = ''): ShellSetup => shells[program]?.(rc) ?? {};

const usual: readonly [readonly string[], readonly CommandRow[]] = [
  ['echo hi', 'false', 'echo $?'],
  [
    ['echo hi', 0, 'hi'],
    ['false', 1, ''],
    ['echo $?', 0, '1'],
  ],
];

/** Settings of users, which must not change the recorded commands. */
const habits: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  bash: [
    ['a PROMPT_COMMAND', 'PROMPT_COMMAND="echo told \\$?"'],
    ['a PROMPT_COMMAND that is exported', 'export PROMPT_COMMAND="true"'],
    ['a PROMPT_COMMAND that is a list', 'PROMPT_COMMAND=("echo one" "echo two")'],
    [
      'a PROMPT_COMMAND that fails',
      'PROMPT_COMMAND="false; (exit 3); nothing-like-it 2>/dev/null"',
    ],
    ['a PROMPT_COMMAND that makes the prompt', 'f() { PS1="$? $ "; }; PROMPT_COMMAND=f'],
    ['a PROMPT_COMMAND that may not be changed', 'readonly PROMPT_COMMAND=:'],
    ['a prompt of two lines', "PS1='\\w\\n$ '"],
    ['a prompt with colours', "PS1='\\[\\e[1;32m\\]\\u\\[\\e[0m\\]\\$ '"],
    ['a prompt with a substitution', "PS1='$(echo x; exit 4) $ '"],
    ['a prompt that is exported', 'export PS1 PS2 PS0'],
    ['a PS0', "PS0='before\\n'"],
    ['no line editing', 'set +o emacs +o vi'],
    ['vi keys', 'set -o vi'],
    ['set -e and set -u', 'set -u'],
    ['set -a', 'set -a'],
    ['set -f', 'set -f'],
    ['noclobber', 'set -o noclobber'],
    ['POSIX mode', 'set -o posix'],
    ['patterns of all kinds', 'shopt -s extglob nullglob failglob nocasematch nocaseglob dotglob'],
    ['another IFS', 'IFS="_rv:;["'],
    [
      'aliases for what scripts call',
      "alias printf=false local=false builtin=false '[['=false set=false",
    ],
    [
      'functions for what scripts call',
      'printf() { :; }; history() { :; }; set() { :; }; unset() { :; }',
    ],
    ['a DEBUG trap', 'n=0; trap "n=\\$((n + 1))" DEBUG'],
    ['an ERR trap', 'trap "n=1" ERR; set -E'],
    ['time stamps in the history', "HISTTIMEFORMAT='%F %T '"],
    ['lines as they are in the history', 'shopt -s lithist'],
    ['a history that takes nothing twice', 'HISTCONTROL=erasedups:ignoreboth'],
  ],
  zsh: [
    ['a precmd', 'precmd() { print told $?; }'],
    ['a list of precmds', 'precmd_functions=(a b); a() { print a; }; b() { false; }'],
    ['a precmd that makes the prompt', 'precmd() { PS1="$? $ "; }'],
    ['a preexec', 'preexec() { print -n before; print; }'],
    ['a prompt of two lines', "PS1=$'%~\\n$ '"],
    ['a prompt that ends with a percent sign', "PS1='%~ %'"],
    ['a prompt at the right', "RPS1='%T'"],
    ['a prompt with a substitution', "setopt prompt_subst; PS1='$(echo x; exit 4) $ '"],
    ['a prompt that is exported', 'export PS1 PROMPT_EOL_MARK=!'],
    ['a mark of its own where a line end is missing', "PROMPT_EOL_MARK='%S!%s'"],
    ['no such mark', 'unsetopt prompt_sp'],
    ['no carriage return before the prompt', 'unsetopt prompt_cr'],
    ['vi keys', 'bindkey -v'],
    ['set -u', 'setopt nounset'],
    ['noclobber', 'setopt noclobber nomultios'],
    ['arrays of ksh', 'setopt ksharrays shwordsplit kshglob globsubst'],
    ['all that is exported', 'setopt allexport'],
    ['warnings', 'setopt warncreateglobal warnnestedvar 2>/dev/null'],
    [
      'aliases for what scripts call',
      "alias builtin=false print=false local=false '[['=false; alias -g if=false",
    ],
    ['a DEBUG trap', 'TRAPDEBUG() { n=1; }'],
  ],
  fish: [
    ['an event at the prompt', 'function told --on-event fish_prompt; echo told; end'],
    ['a prompt of two lines', "function fish_prompt; echo $PWD; echo -n '$ '; end"],
    ['a prompt at the right', 'function fish_right_prompt; date; end'],
    ['vi keys', 'fish_vi_key_bindings'],
    ['functions for what scripts call', 'function printf; end'],
  ],
};

describe.each(Object.entries(habits))('%s marks its commands with', (program, list) => {
  for (const [title, rc] of list) {
    needs(program)(title, async () => {
      const { type, rows } = await drive(program, plain(program, rc));
      const [typed, expected] = usual;
      const variable = program === 'fish' ? '$status' : '$?';
      for (const line of typed) await type(`${line.replace('$?', variable)}\r`);
      expect(rows()).toEqual(
        expected.map(([line, ...rest]) => [line?.replace('$?', variable), ...rest]),
      );
    });
  }
});

async function drive(program: string, setup: ShellSetup) {
  const shell = await start(program, setup);
  return {
    told: shell,
    type: (text: string) => shell.type(text),
    rows: () => shell.rows,
    ledger: shell.session.view.commands,
  };
}

/** A step: typed text, and the commands that it makes. */
type Step = readonly [string, ...CommandRow[]];

interface Story {
  readonly setup?: ShellSetup;
  readonly steps: readonly Step[];
}

const status = ['echo $', 'PIPESTATUS[*]}'].join('{');

// biome-ignore format: one step per line
const stories: Readonly<Record<string, Readonly<Record<string, Story>>>> = {
  bash: {
    'PS1 set at the prompt': { steps: [
      ["PS1='a\\nb> '\r", ["PS1='a\\nb> '", 0, '']],
      ['false\r', ['false', 1, '']],
      ['PS1="x$PS1"\r', any],
      ['PS1="$PS1 "\r', any],
      ['echo hi\r', ['echo hi', 0, 'hi']],
    ] },
    'PROMPT_COMMAND set at the prompt': { steps: [
      // Its first output cannot be distinguished from the output of the command.
      ["PROMPT_COMMAND='echo told'\r", ["PROMPT_COMMAND='echo told'", 0, 'told']],
      ['false\r', ['false', 1, '']],
      ['(exit 3)\r', ['(exit 3)', 3, '']],
    ] },
    'PROMPT_COMMAND taken away': { steps: [
      ['unset PROMPT_COMMAND\r', any],
      ['false\r', ['false', 1, '']],
      ['echo hi\r', ['echo hi', 0, 'hi']],
    ] },
    'output of a trace': { setup: bash('PS4=+; set -x'), steps: [
      // bash traces the call of the hook before the hook can end that.
      ['echo hi\r', ['echo hi', 0, '+echo hi\nhi\n++__vtr_before']],
      ['(exit 3)\r', ['(exit 3)', 3, '+exit 3\n++__vtr_before']],
      ['case $- in *x*) echo traced; esac\r', ['case $- in *x*) echo traced; esac', 0, expect.stringContaining('+echo traced\ntraced\n')]],
    ] },
    'a history that is off, and may be on': { setup: bash('HISTCONTROL='), steps: [
      ['set +o history\r', any],
      ['echo b\r', [null, 0, 'b']],
      ['set -o history\r', [null, 0, '']],
      ['echo c\r', ['echo c', 0, 'c']],
      ['history -c\r', ['history -c', 0, '']],
      ['echo d\r', ['echo d', 0, 'd']],
    ] },
    'prompts that are not expanded': { setup: bash('shopt -u promptvars'), steps: [
      ['echo a\r', [null, 0, 'a']],
      ['false\r', [null, 1, '']],
      ['shopt -s promptvars\r', [null, 0, '']],
      ['echo c\r', ['echo c', 0, 'c']],
    ] },
    'a here document': { steps: [
      ['cat <<E\ra;\r\rb\rE\r', ['cat <<E\na;\n\nb\nE', 0, 'a;\n\nb']],
    ] },
    'a syntax error is not a command': { steps: [[')\r'], ['echo $?\r', ['echo $?', 0, '2']]] },
    'set -e': { steps: [
      ['set -e\r', ['set -e', 0, '']],
      ['! true\r', ['! true', 1, '']],
      ['if false; then :; fi\r', ['if false; then :; fi', 0, '']],
    ] },
    'what a pipeline left behind': { steps: [
      [`true | false | true; ${status}\r`, rowOf(0, '0 1 0')],
      ['false | true\r', any],
      [`${status} $_\r`, rowOf(0, '1 0 0')],
    ] },
    'a DEBUG trap that prints': { steps: [
      ["trap 'echo [$BASH_COMMAND]' DEBUG\r", any],
      ['true\r', ['true', 0, expect.stringMatching(/^\[true\]/)]],
      ['trap - DEBUG\r', any],
      ['trap -p DEBUG\r', ['trap -p DEBUG', 0, '']],
    ] },
    'a DEBUG trap that prints, also in functions and substitutions': { steps: [
      ["set -T; trap 'echo [$BASH_COMMAND]' DEBUG\r", any],
      ['true; false\r', ['true; false', 1, expect.stringMatching(/^\[true\]/)]],
      ["true $'a\\tb'\r", ["true $'a\\tb'", 0, expect.stringMatching(/^\[true/)]],
      ['trap - DEBUG; set +T\r', any],
      ['echo hi\r', ['echo hi', 0, 'hi']],
    ] },
    // As bash-preexec does it: the last command of PROMPT_COMMAND says that the next one is the user's.
    'what bash-preexec calls before a command': { setup: bash([
      'bash_preexec_imported=defined; __bp_interactive_mode() { __bp_preexec_interactive_mode=on; }',
      "called() { [[ -z $__bp_preexec_interactive_mode || $1 == *__* ]] || echo \"before $1\"; __bp_preexec_interactive_mode=; }",
      "trap 'called \"$BASH_COMMAND\"' DEBUG; PROMPT_COMMAND+=(__bp_interactive_mode)",
    ].join('\n')), steps: [
      ['true\r', ['true', 0, 'before true']],
      ['false; true\r', ['false; true', 0, 'before false']],
    ] },
    'two lines typed at once': { steps: [
      ['sleep 0.1; false\recho hi\r', ['sleep 0.1; false', 1, ''], ['echo hi', 0, 'hi']],
    ] },
  },
  zsh: {
    'prompts set at the prompt': { steps: [
      ["PS1='new> '; PROMPT_EOL_MARK=\r", any],
      ['printf abc; (exit 3)\r', ['printf abc; (exit 3)', 3, 'abc']],
      ['(exit 4)\r', ['(exit 4)', 4, '']],
    ] },
    'output of a trace': { setup: zsh('PS4=+; setopt xtrace'), steps: [
      ['echo hi\r', ['echo hi', 0, '+echo hi\nhi']],
    ] },
    'a syntax error is not a command': { steps: [[')\r'], ['true\r', ['true', 0, '']]] },
  },
  fish: {
    'fish_prompt redefined': { steps: [
      ["function fish_prompt; echo two; echo -n 'lines> '; end\r", any],
      ['false\r', ['false', 1, '']],
      ['echo hi\r', ['echo hi', 0, 'hi']],
    ] },
  },
};

describe.each(Object.entries(stories))('%s marks', (program, list) => {
  for (const [title, { setup, steps }] of Object.entries(list)) {
    needs(program)(title, async () => {
      const { told, type, ledger } = await drive(program, setup ?? plain(program));
      for (const [typed, ...expected] of steps) {
        const before = told.commands.length;
        await type(typed);
        const count = before + expected.length;
        await told.until(() => told.commands.length >= count && ledger.prompt !== null);
        expect([typed, told.rows.slice(before)]).toEqual([typed, expected]);
      }
    });
  }
});

const replacements: readonly (readonly [string, string])[] = [
  ['bash', `PROMPT_COMMAND+=("PS1='new> '")`],
  ['zsh', `precmd_functions=(f); f() { PS1='new> '; }`],
];

describe('the prompt after hooks are replaced has no marks, the next one has', () => {
  for (const [program, line] of replacements) {
    needs(program)(program, async () => {
      const { told, type, rows, ledger } = await drive(program, plain(program));
      await told.typeUntil(`${line}\r`, /^new>/m);
      expect(ledger.prompt).toBeNull();
      for (const typed of ['(exit 3)', 'printf abc']) await type(`${typed}\r`);
      const expected = [
        ['(exit 3)', 3, ''],
        ['printf abc', 0, 'abc'],
      ];
      expect(rows()).toEqual([[line, 0, ''], ...expected]);
    });
  }
});
