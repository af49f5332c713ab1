import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEnvironment } from '#pty';
import { needs } from '../../../test/support/run/needs.ts';
import { tree } from '../../../test/support/tree.ts';
import { afterStartFiles, variablesIn } from './environment.ts';

const table = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'value']));

describe('buildEnvironment', () => {
  it('minimal: a short list, the locale, and the variables of the terminal', () => {
    const names = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_TIME', 'TZ'];
    const base = table([...names, 'TMPDIR', 'XDG_RUNTIME_DIR', 'EDITOR', 'LC_TERMINAL', 'FOO']);
    const environment = buildEnvironment({ isMinimal: true, base, cwd: '/work' });
    expect(Object.keys(environment).sort()).toEqual(
      [...names, 'TMPDIR', 'XDG_RUNTIME_DIR', 'PWD', 'TERM', 'COLORTERM'].sort(),
    );
  });

  it('[S1.16] describes the terminal and the working directory', () => {
    const base = { TERM: 'dumb', COLORTERM: 'no', PWD: '/elsewhere', LANG: 'C' };
    const request = { base, cwd: '/work' };
    const expected = { TERM: 'xterm-256color', COLORTERM: 'truecolor', PWD: '/work', LANG: 'C' };
    expect(buildEnvironment(request)).toEqual(expected);
    expect(buildEnvironment({ ...request, term: 'vt220' })).toEqual({ ...expected, TERM: 'vt220' });
  });

  it('[S1.16] prefers explicit values, whatever their names', () => {
    const name = fc.constantFrom('GITHUB_TOKEN', 'TMUX', 'PATH', 'TERM', 'LANG', 'PWD');
    const explicitly = fc.dictionary(name, fc.string());
    fc.assert(
      fc.property(explicitly, explicitly, fc.boolean(), (base, explicit, isMinimal) => {
        const environment = buildEnvironment({ isMinimal, base, cwd: '/', explicit });
        expect(environment).toMatchObject(explicit);
      }),
    );
  });

  it.each([{}, { LANG: '' }, { LC_TIME: 'de_DE.UTF-8' }])(
    'sets UTF-8 without a locale: %j',
    (base) => {
      for (const isMinimal of [true, false]) {
        const environment = buildEnvironment({ isMinimal, base, cwd: '/' });
        expect(environment['LANG']).toMatch(/UTF-8$/);
      }
    },
  );

  it.each([{ LANG: 'C' }, { LC_ALL: 'POSIX' }, { LC_CTYPE: 'de_DE' }])(
    'keeps a locale: %j',
    (base) => {
      const {
        PWD: _,
        TERM: _term,
        COLORTERM: _color,
        ...others
      } = buildEnvironment({ base, cwd: '/' });
      expect(others).toEqual(base);
    },
  );
});

/** The file that each shell reads at a login, and how it sets a variable. */
const shells = [
  ['sh', '.profile', 'export FROM="a b"'],
  ['bash', '.bash_profile', 'export FROM="a b"'],
  ['zsh', '.zprofile', 'export FROM="a b"'],
  ['ksh', '.profile', 'export FROM="a b"'],
  ['fish', '.config/fish/config.fish', 'status is-login; and set -gx FROM "a b"'],
] as const;

const programs = '/usr/local/bin:/usr/bin:/bin';

describe('afterStartFiles', () => {
  for (const [shell, file, line] of shells) {
    needs(shell)(`returns the environment after the start files of ${shell}`, async () => {
      const home = tree({ [file]: `echo welcome\n${line}\n` });
      const before = { HOME: home, PATH: programs, LINES_OF: 'one\ntwo' };
      const after = await afterStartFiles(shell, home, before);
      expect(after).toMatchObject({ FROM: 'a b', HOME: home, LINES_OF: 'one\ntwo' });
    });
  }

  it('returns null if the start files end the shell, or take too long', async () => {
    const ends = tree({ '.profile': 'exit 3\n' });
    expect(await afterStartFiles('sh', ends, { HOME: ends, PATH: programs })).toBeNull();
    const hangs = tree({ '.profile': 'cat /dev/zero >/dev/null\n' });
    expect(await afterStartFiles('sh', hangs, { HOME: hangs, PATH: programs }, 100)).toBeNull();
    const floods = tree({ '.profile': 'yes\n' });
    expect(await afterStartFiles('sh', floods, { HOME: floods, PATH: programs })).toBeNull();
    expect(await afterStartFiles('/no/such/shell', '/', { PATH: programs })).toBeNull();
  });
});

describe('variablesIn', () => {
  it('reads the lines of files for a login', () => {
    const text = '# comment\nA=1\nexport B="two words"\n C = 3\nD=\nE=\'x=y\'\n';
    expect(variablesIn(text, '\n')).toEqual({ A: '1', B: 'two words', D: '', E: 'x=y' });
  });
});
