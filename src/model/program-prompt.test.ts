import { describe, expect, it } from 'vitest';
import {
  isContinuation,
  isProgramPrompt,
  isWholeInput,
  keepsShell,
  looksLikePrompt,
  looksLikeQuestion,
  startsShell,
} from './program-prompt.ts';

describe('program prompt', () => {
  it.each([
    ['user@host:~$ ', true],
    ['root@host:/# ', true],
    ['>>> ', true],
    ['> ', true],
    ['$', true],
    ['Password: ', false],
    ['price: 5$ a piece', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(looksLikePrompt(text)).toBe(expected);
  });

  it.each([
    ...[
      ['gdb', '(gdb) '],
      ['gdb', '>', 1],
      ['gdb', '   >', 1],
      ['lua5.4', '> '],
      ['lua5.4', '>> ', 1],
    ],
    ...[
      ['psql', 'db=# '],
      ['psql', 'db=*> '],
      ['psql', 'bob@db# '],
      ['psql', '[local] bob> '],
    ],
    ...[
      ['psql', 'db-# ', 1],
      ['psql', "db'# ", 1],
      ['psql', 'db(*> ', 1],
      ['psql', '>> ', 1],
    ],
    ...[
      ['psql', '... > ', 1],
      ['octave-cli', 'octave:1> '],
      ['octave-cli', '> ', 1],
    ],
    ...[
      ['gnuplot', 'gnuplot> '],
      ['gnuplot', 'more> ', 1],
      ['node', '> '],
      ['node', '| ', 1],
    ],
    ...[
      ['R', '> '],
      ['R', '+ ', 1],
      ['ghc', 'ghci> '],
      ['ghc', 'ghci| ', 1],
    ],
    ...[
      ['irb', 'irb(main):001:0> '],
      ['irb', 'irb(main):002:1* ', 1],
      ['irb', "irb(main):002:0' ", 1],
    ],
    ...[
      ['beam.smp', 'iex(1)> '],
      ['beam.smp', '...(1)> ', 1],
      ['java', '         > ', 1],
    ],
    ...[
      ['sqlite3', 'sqlite> '],
      ['sqlite3', '   ...> ', 1],
      ['sqlite3', '(x1...> ', 1],
    ],
  ] as const)('of %s: %j', (program, text, continues: 0 | 1 = 0) => {
    expect(isContinuation(text, program)).toBe(continues === 1);
    if (continues === 1) expect(isProgramPrompt(text, program)).toBe(false);
    else expect(isProgramPrompt(text, program)).toBe(true);
  });

  it('takes the prompt of select in zsh for a question, as that of bash', () => {
    expect(isProgramPrompt('#? ', 'bash')).toBe(false);
    expect(isProgramPrompt('?# ', 'zsh')).toBe(false);
    expect(looksLikeQuestion('?# ')).toBe(true);
  });

  describe('a question', () => {
    it.each([
      ['name? ', true],
      ['Continue? [Y/n] ', true],
      ['Is this OK? (yes) : ', true],
      ["Enter passphrase for key '/home/user/.ssh/id_ed25519': ", true],
      [`${'x'.repeat(5000)} password: `, true],
      ['installing ', false],
      ['(1/3) installing ', false],
      ['', false],
    ])('%j: %s', (text, expected) => {
      expect(looksLikeQuestion(text)).toBe(expected);
    });

    it('is looked for in the end of a long line only', () => {
      expect(looksLikeQuestion(`password${'x'.repeat(1000)}: `)).toBe(false);
      expect(looksLikeQuestion(`)${' '.repeat(250_000)}x`)).toBe(false);
    });
  });
});

describe('shell line', () => {
  it.each([
    ['', true],
    ['echo hi\r', true],
    ['PS1="> "\recho "a\nb"\r', true],
    ["printf '%s\\n' 'it'\\''s'\r", true],
    ['make && echo ok; ls | wc -l\r', true],
    ['echo "open\r\x03echo done\r', true],
    ['echo "open\r', false],
    ['echo "open\rfoo\r', false],
    ["echo 'open\r", false],
    ['make &&\r', false],
    ['ls |\r', false],
    ['echo a \\\r', false],
    ['cat <<E\r', false],
    ['if true\r', false],
    ['ls; for i in 1 2\r', false],
    ['f() {\r', false],
    ['echo $(date\r', false],
    ['ls\x1b[A\r', false],
  ])('%j: whole %s', (text, expected) => {
    expect(isWholeInput(text)).toBe(expected);
  });

  it.each([
    ...['bash', 'exec zsh', '/bin/sh -i', 'bash --norc -l', 'su', 'su -', 'su - root', 'sudo -i'],
    ...['sudo -sE', 'sudo su', 'sudo bash', 'fish '],
  ])('%j starts a shell', (line) => {
    expect(startsShell(line)).toBe(true);
  });

  it.each([
    ...[
      'bash build.sh',
      'sh -c true',
      'bash -lc true',
      'su -c true',
      'su root -c true',
      'sudo true',
    ],
    ...['bash; true', 'echo bash', 'sudo -u root true', 'zsh < f', 'bash -c', ''],
  ])('%j does not start one only', (line) => {
    expect(startsShell(line)).toBe(false);
  });

  it.each([
    ...[
      `PS1='x$ '`,
      'PS1="\\u@here \\$ "',
      'export PS1="$USER> " A=1',
      `printf 'a b'; PS1='(env) x$ '`,
    ],
    ...['cd /tmp && echo "$?"', 'unset PROMPT_COMMAND', 'true', ': ;', 'echo a\nPS1="$ "'],
  ])('the same shell reads after %j', (line) => {
    expect(keepsShell(line)).toBe(true);
  });

  it.each([
    ...[
      'bash',
      'PS1=x bash',
      'echo a | ssh b',
      'echo $(python3)',
      'echo "$(ssh b)"',
      'echo `ssh b`',
    ],
    ...[
      'eval "PS1=x"',
      'exec zsh',
      'cd x; exit',
      'echo a &',
      'f() { ssh b; }; f',
      '. ./rc',
      'read x',
    ],
    ...['echo \\', "PS1='open", 'echo "open', 'make'],
  ])('another program may read after %j', (line) => {
    expect(keepsShell(line)).toBe(false);
  });
});
