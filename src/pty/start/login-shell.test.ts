import { describe, expect, it } from 'vitest';
import { needs } from '../../../test/support/run/needs.ts';
import { tree } from '../../../test/support/tree.ts';
import { afterStartFiles, variablesIn } from './login-shell.ts';

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
