import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { makeFishHome } from '../../../test/support/pty/fish-home.ts';
import { needs } from '../../../test/support/run/needs.ts';

// What `run` runs is what `SHELL -c` runs: no history expansion, and nothing else that the line editor or its
// settings do to what a person types. Aliases are the person's.

async function start(program: string, args: readonly string[], files: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'vtr-lines-'));
  makeFishHome(home);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const coordinator = new LocalCoordinator();
  onTestFinished(async () => {
    await coordinator.close();
    rmSync(home, { recursive: true, force: true });
  });
  const env = { HOME: home, LC_ALL: 'C.UTF-8', PROMPT_COMMAND: '', PS1: '$ ', HISTFILE: '' };
  const { name } = await coordinator.spawn({ program, args, env, environment: 'minimal' });
  const run = async (line: string) => {
    const { output, exitCode, outcome } = await coordinator.run(name, { line });
    return [outcome, exitCode, output.tail] as const;
  };
  return { coordinator, name, run };
}

const expanded: readonly (readonly [string, number, string])[] = [
  ['echo "wow!!"', 0, 'wow!!'],
  ['echo "done!echo" !$ !#', 0, 'done!echo !$ !#'],
  ['printf "%s\\n" "feat!: drop" s!/x/', 0, 'feat!: drop\ns!/x/'],
  ['echo "a!!"\necho \'b!1\'', 0, 'a!!\nb!1'],
  ['! true', 1, ''],
  ["echo 'tab\there' \"'!\\\\\"", 0, "tab\there '!\\"],
];

const shells: readonly (readonly [string, string, string[], Record<string, string>])[] = [
  ['bash', 'bash', ['--norc'], {}],
  ['bash with vi keys', 'bash', [], { '.bashrc': "PS1='> '; set -o vi" }],
  [
    'bash where a space expands',
    'bash',
    [],
    { '.inputrc': '" ": magic-space\n', '.bashrc': 'PS1="> "' },
  ],
  ['zsh', 'zsh', ['-f'], {}],
  ['zsh where a space expands', 'zsh', [], { '.zshrc': "PS1='> '; bindkey ' ' magic-space" }],
  ['zsh with vi keys', 'zsh', [], { '.zshrc': "PS1='> '; bindkey -v; KEYTIMEOUT=1" }],
];

describe('the next line that run types has what a line leaves', () => {
  const rc = `PS1='$ '; PROMPT_COMMAND='echo "$_" >/dev/null'`;
  const settings = [...shells, ['bash with hooks', 'bash', [], { '.bashrc': rc }] as const];
  for (const [title, program, args, files] of settings) {
    needs(program)(`in ${title}: $?, $_ and the statuses of a pipeline`, async () => {
      const { run } = await start(program, args, files);
      await run("false 'a  b'");
      expect(await run('echo "$? <$_>"; set -u')).toEqual(['finished', 0, '1 <a  b>']);
      await run('true | false');
      const statuses = program === 'bash' ? 'PIPESTATUS[*]' : 'pipestatus[*]';
      expect(await run(`echo "$\{${statuses}} <$_>"`)).toEqual([
        'finished',
        0,
        expect.stringMatching(/^0 1 </),
      ]);
    });
  }
});

describe('! is never expanded in a line that run types', () => {
  for (const [title, program, args, files] of shells) {
    needs(program)(`in ${title}, and a person's is`, async () => {
      const { coordinator, name, run } = await start(program, args, files);
      await run('echo before');
      for (const [line, code, output] of expanded) {
        expect([line, ...(await run(line))]).toEqual([line, 'finished', code, output]);
      }
      expect(await run('^a^b')).toEqual(['finished', 127, expect.stringContaining('^a^b')]);
      await run('echo kept');
      const wait = { finished: true, timeoutMs: 20_000 };
      await coordinator.sendText(name, '!!\r', { wait });
      const { commands } = await coordinator.commands(name, { last: 1 });
      expect(commands).toMatchObject([{ line: 'echo kept', exitCode: 0 }]);
      expect(await run('echo "$histchars"; set -o | grep -c "hist.*on"')).toMatchObject([
        'finished',
        expect.any(Number),
        expect.stringMatching(/^(?:!\^#)?\n/),
      ]);
    });
  }

  for (const inner of ['bash --norc', 'zsh -f']) {
    needs('bash', inner.split(' ')[0] ?? '')(`in a ${inner} inside of the shell`, async () => {
      const { run } = await start('bash', ['--norc']);
      await run(`PS1='> ' ${inner}`);
      await run('echo before');
      expect((await run('echo "wow!!"'))[2]).toBe('wow!!');
      expect((await run('echo "a!b" \'c!d\'; echo "!e\\\\"'))[2]).toBe('a!b c!d\n!e\\');
    });
  }
});

describe('the prompt that a line reads has no marks', () => {
  const prompts: readonly (readonly [string, string, string])[] = [
    ['bash', "PS1='> '", '> '],
    ['bash', "hook() { PS1='made> '; }; PROMPT_COMMAND=hook", 'made> '],
    ['zsh', "PS1='> '", '> '],
    ['zsh', "hook() { PS1='made> ' }; precmd_functions+=(hook)", 'made> '],
  ];
  for (const [program, rc, prompt] of prompts) {
    needs(program)(`in ${program} with ${rc}`, async () => {
      const { run } = await start(program, [], { [`.${program}rc`]: `${rc}\n` });
      expect(await run('echo "$PS1!"')).toEqual(['finished', 0, `${prompt}!`]);
      expect(await run('(exit 3)')).toEqual(['finished', 3, '']);
      expect(await run('PS1="new$PS1"; echo "$PS1"')).toEqual(['finished', 0, `new${prompt}`]);
      expect(await run('(exit 4)')).toEqual(['finished', 4, '']);
    });
  }
});

const zshrc = `PS1='> '; setopt correct correct_all; autoload -Uz bracketed-paste-magic url-quote-magic
zle -N bracketed-paste bracketed-paste-magic; zle -N self-insert url-quote-magic
pair() { LBUFFER+='"'; RBUFFER='"'$RBUFFER }; zle -N pair; bindkey '"' pair; alias hi='echo hi'\n`;

const fishFile = `function fish_prompt; echo -n '> '; end
abbr --add L --position anywhere '| less'; abbr --add echo printf
function last; echo $history[1]; end; abbr --add !! --position anywhere --function last
alias hi 'echo hi'\n`;

describe('what a line editor does to typed text is not done to a line that run types', () => {
  needs('zsh')('in zsh', async () => {
    const { run } = await start('zsh', [], { '.zshrc': zshrc });
    expect(await run('echo http://x/?a=1')).toMatchObject([
      'finished',
      1,
      expect.stringContaining('no matches found: http://x/?a=1'),
    ]);
    expect(await run("echo 'http://x/?a=1&b' \"q\" # it's")).toEqual([
      'finished',
      0,
      'http://x/?a=1&b q',
    ]);
    expect(await run('# nothing')).toEqual(['prompt', null, '']);
    expect(await run('ehco corrected')).toMatchObject([
      'finished',
      127,
      expect.stringContaining('ehco'),
    ]);
    expect(await run('hi')).toEqual(['finished', 0, 'hi']);
    expect(await run('setopt | grep -c -e correct -e interactivecomments')).toMatchObject([
      'finished',
      0,
      '2',
    ]);
  });

  needs('fish')('in fish', async () => {
    const { coordinator, name, run } = await start('fish', [], {
      '.config/fish/config.fish': fishFile,
    });
    expect(await run('echo a!! L')).toEqual(['finished', 0, 'a!! L']);
    expect(await run('echo !!')).toEqual(['finished', 0, '!!']);
    expect(await run("echo 'tab\there' '50%41' \\\\")).toEqual([
      'finished',
      0,
      'tab\there 50%41 \\',
    ]);
    expect(await run('for i in 1 2\n\techo $i\nend')).toEqual(['finished', 0, '1\n2']);
    expect(await run('hi')).toEqual(['finished', 0, 'hi']);
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ line }) => line).slice(0, 2)).toEqual(['echo a!! L', 'echo !!']);
  });
});

describe('a line has any characters', () => {
  const text = 'é ü日本🙂 👍🏽 e\u0301 50%41\u00a0\u200b|';
  for (const program of ['bash', 'zsh', 'fish']) {
    needs(program)(`in ${program}`, async () => {
      const { coordinator, name, run } = await start(program, program === 'bash' ? ['--norc'] : []);
      expect(await run(`printf '%s' '${text}'; false`)).toEqual(['finished', 1, text]);
      const { commands } = await coordinator.commands(name);
      expect(commands).toMatchObject([{ line: `printf '%s' '${text}'; false` }]);
    });
  }
});

describe('the line of a command is the one that run typed', () => {
  const lines = [
    'echo "a;b" 50%41 é日 # it\'s',
    '  echo a  ',
    '  echo a  ',
    `echo ${'w'.repeat(200)}`,
    'echo "a!b"',
    'echo "$PS1"',
  ];
  for (const [title, rc] of [
    ['bash', ''],
    ['bash without a history', 'set +o history'],
    ['bash that keeps no blanks', 'HISTCONTROL=ignoreboth'],
    ['bash with vi keys', 'set -o vi'],
    ['bash with an exported prompt', 'export PS1 PS2'],
  ] as const) {
    needs('bash')(`in ${title}`, async () => {
      const { coordinator, name, run } = await start('bash', [], {
        '.bashrc': `PS1='$ '\n${rc}\n`,
      });
      for (const line of lines) expect((await run(line))[0]).toBe('finished');
      const { commands } = await coordinator.commands(name);
      expect(commands.map(({ line }) => line)).toEqual(lines);
    });
  }

  needs('bash')('in bash whose Enter changes it', async () => {
    const rc = `PS1='$ '\nbind '"\\C-m": "\\C-e #x\\C-j"'\n`;
    const { coordinator, name, run } = await start('bash', [], { '.bashrc': rc });
    expect(await run('echo a')).toEqual(['finished', 0, 'a']);
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ line }) => line)).toEqual(['echo a #x']);
  });

  needs('bash')('in bash that asks for the rest of it', async () => {
    const { coordinator, name, run } = await start('bash', ['--norc']);
    expect((await run("echo 'a"))[0]).toBe('awaiting_input');
    const wait = { finished: true, timeoutMs: 20_000 };
    await coordinator.sendText(name, "b'\r", { wait });
    expect(await run('echo $?')).toEqual(['finished', 0, '0']);
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ line }) => line)).toEqual(["echo 'a\nb'", 'echo $?']);
  });

  needs('bash')('and a person edits the next one', async () => {
    const { coordinator, name, run } = await start('bash', ['--norc']);
    await run('sh -c "exit 3"');
    const wait = { finished: true, timeoutMs: 20_000 };
    await coordinator.sendText(name, 'echo $? typed\r', { wait });
    expect(await run('echo $?')).toEqual(['finished', 0, '0']);
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ line }) => line)).toEqual([
      'sh -c "exit 3"',
      'echo $? typed',
      'echo $?',
    ]);
    expect((await coordinator.commandOutput(name, { command: 2 })).text.tail).toBe('3 typed');
  });
});

describe('a syntax error has the status of the shell for it, whatever the command before it returned', () => {
  const errors = ['echo )', 'echo ! )', 'echo "$PS1" )'];
  for (const [program, status, message] of [
    ['bash', 2, 'syntax error near'],
    ['zsh', 1, 'parse error near'],
    ['fish', 127, "Unexpected ')'"],
  ] as const) {
    needs(program)(`in ${program}`, async () => {
      const { run } = await start(program, program === 'bash' ? ['--norc'] : []);
      for (const before of [0, 4]) {
        for (const line of errors) {
          await run(`sh -c 'exit ${before}'`);
          const shown = expect.stringContaining(message);
          expect([line, ...(await run(line))]).toEqual([line, 'prompt', status, shown]);
        }
      }
    });
  }
});

describe('a line that runs no command has the message of the shell only', () => {
  const rc = `precmd() { PS1=$'\\ntop %~\\n> ' }
zle-line-finish() { PS1='> '; zle reset-prompt }; zle -N zle-line-finish\n`;
  needs('zsh')('in zsh whose prompt has fewer rows after Enter', async () => {
    const { run } = await start('zsh', [], { '.zshrc': rc });
    for (const line of ['# comment', '# one\n# two', `# ${'x'.repeat(200)}`]) {
      expect([line, ...(await run(line))]).toEqual([line, 'prompt', null, '']);
    }
    const shown = expect.stringMatching(/^zsh: parse error near .*$/);
    for (const line of ['echo )', '(echo a\necho b ))', `echo ${'x'.repeat(200)} )`]) {
      expect([line, ...(await run(line))]).toEqual([line, 'prompt', 1, shown]);
    }
    expect(await run('echo a')).toEqual(['finished', 0, 'a']);
  });
});

describe('a prompt that is exported', () => {
  const outer = ['bash', 'zsh'] as const;
  const inner = ['zsh -f', 'bash --norc', 'dash', 'ksh', 'mksh', 'fish --no-config', 'env zsh -f'];
  for (const program of outer) {
    for (const line of inner) {
      const [name = ''] = line.split(' ').slice(line.startsWith('env ') ? 1 : 0);
      needs(program, name)(`has no marks in ${line} inside of ${program}`, async () => {
        const { coordinator, name, run } = await start(program, ['-i'], {
          '.bashrc': "PS1='one$ '; PS2='more> '; export PS2",
          '.zshrc': "PS1='one$ '; PS2='more> '; export PS2",
        });
        await run("export PS1='two$ '; set -a");
        expect((await run(line))[0]).toBe('awaiting_input');
        if (!line.startsWith('fish')) {
          expect((await run('echo "$PS1$PS2" | tr -d "\\033"'))[2]).not.toMatch(/vtr|133/);
        }
        expect(await run('echo hi')).toEqual(['prompt', 0, 'hi']);
        expect(await run("sh -c 'exit 3'")).toEqual(['prompt', 3, '']);
        await run('exit');
        expect(await run('sh -c \'echo "[$PS1][$PS2]"\'')).toEqual([
          'finished',
          0,
          '[two$ ][more> ]',
        ]);
        // A person types.
        const wait = { asks: true, timeoutMs: 20_000 };
        await coordinator.sendText(name, `${line}\r`, { wait });
        expect(await run('echo by hand')).toEqual(['prompt', 0, 'by hand']);
      });
    }
  }
});

describe('the output has nothing of the typed line, which its editor wraps by itself', () => {
  const inner: readonly (readonly [string, string, string])[] = [
    ['bash', 'bash --norc', "PS1='$ '"],
    ['dash', 'dash', "PS1='$ '"],
    ['zsh', 'zsh -f', "PS1='%# '"],
    ['zsh', 'zsh -f', "PS1=$'%1d\\n%# '"],
    ['fish', 'fish --no-config', "function fish_prompt; echo '$ '; end"],
  ];
  for (const [program, command, prompt] of inner) {
    needs('bash', program)(`in ${command} with ${prompt}`, async () => {
      const { run } = await start('bash', ['--norc', '--noediting']);
      await run(command);
      await run(prompt);
      const texts = [74, 75, 76, 77, 78, 100, 150, 155, 156, 157].map((count) => 'L'.repeat(count));
      for (const text of [
        ...texts,
        `${'世'.repeat(38)}界`,
        `a${'世'.repeat(40)}`,
        'a b  '.repeat(31),
      ]) {
        const [outcome, , output] = await run(`: '${text}'`);
        expect([outcome, text.length, output]).toEqual(['prompt', text.length, '']);
      }
      for (const count of [68, 69, 70, 71, 72, 73]) {
        const [, , output] = await run(`echo; echo ${'L'.repeat(count)}`);
        expect([count, output]).toEqual([count, `\n${'L'.repeat(count)}`]);
      }
    });
  }
});

needs('ipython')('the output in IPython has nothing of a long line', async () => {
  const { run } = await start('ipython', ['--no-banner', '--no-confirm-exit']);
  const [outcome, , output] = await run(`x = '${'L'.repeat(200)}'; print(len(x))`);
  expect([outcome, output.trim()]).toEqual(['prompt', '200']);
});

needs('zsh')('the error of a long line in zsh has nothing of it', async () => {
  const { run } = await start('zsh', ['-f']);
  const long = 'L'.repeat(100);
  for (const line of [`if ) # ${long}`, `echo ${long} ; \\\necho ${long} )`]) {
    const [, , output] = await run(line);
    expect(output).toBe("zsh: parse error near `)'");
  }
});
