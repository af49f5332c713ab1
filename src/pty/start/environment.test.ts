import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEnvironment } from '#pty';

const table = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'value']));

describe('buildEnvironment', () => {
  it('minimal: a short list, the locale, and the variables of the terminal', () => {
    const kept = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_TIME', 'TZ'];
    const base = table([...kept, 'TMPDIR', 'XDG_RUNTIME_DIR', 'EDITOR', 'LC_TERMINAL', 'FOO']);
    const environment = buildEnvironment({ isMinimal: true, base, cwd: '/work' });
    expect(Object.keys(environment).sort()).toEqual(
      [...kept, 'TMPDIR', 'XDG_RUNTIME_DIR', 'PWD', 'TERM', 'COLORTERM'].sort(),
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
