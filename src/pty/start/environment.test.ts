import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSensitiveName } from '#model';
import { buildEnvironment } from '#pty';

const sensitiveNames = [
  // From the list of the document.
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'GITHUB_TOKEN',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  // Not in its list.
  'GH_TOKEN',
  'GH_HOST',
  'NPM_TOKEN',
  'npm_config__auth',
  'NPM_CONFIG_//registry.npmjs.org/:_authToken',
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AZURE_STORAGE_ACCESSKEY',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'DB_PASSWORD',
  'PGPASSWORD',
  'MYSQL_PASSWD',
  'GoogleApiKey',
  'PRIVATE_KEY',
  'deploy_privatekey',
  'client_secret',
];

const harmlessNames = [
  'PATH',
  'HOME',
  'EDITOR',
  'LANG',
  'DISPLAY',
  'KEYBOARD',
  'SSH_CONNECTION',
  'npm_config_registry',
  'XDG_SESSION_ID',
  'MONKEY',
];

const misleadingNames = [
  'VTR_SESSION',
  'VTR_SESSION_ID',
  'COLUMNS',
  'LINES',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERMCAP',
  'WINDOWID',
  'VTE_VERSION',
  'KITTY_WINDOW_ID',
  'GHOSTTY_RESOURCES_DIR',
  'WEZTERM_PANE',
  'ZELLIJ',
  'VSCODE_INJECTION',
  'NOTIFY_SOCKET',
  'OLDPWD',
  '_',
];

const table = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'value']));

describe('buildEnvironment', () => {
  it.each(sensitiveNames)('[S1.16] keeps %s from the program', (name) => {
    const environment = buildEnvironment({ mode: 'inherit', base: { [name]: 'x' }, cwd: '/' });
    expect(environment).not.toHaveProperty([name]);
    expect(isSensitiveName(name)).toBe(true);
  });

  it.each(harmlessNames)('inherits %s', (name) => {
    const environment = buildEnvironment({ mode: 'inherit', base: { [name]: 'x' }, cwd: '/' });
    expect(environment).toHaveProperty([name], 'x');
    expect(isSensitiveName(name)).toBe(false);
  });

  it.each(misleadingNames)('does not inherit %s, which describes another terminal', (name) => {
    const environment = buildEnvironment({ mode: 'inherit', base: { [name]: 'x' }, cwd: '/' });
    expect(environment).not.toHaveProperty([name]);
  });

  it('minimal: a short list, the locale, and the variables of the terminal', () => {
    const kept = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_TIME', 'TZ'];
    const base = table([...kept, 'TMPDIR', 'XDG_RUNTIME_DIR', 'EDITOR', 'LC_TERMINAL', 'FOO']);
    const environment = buildEnvironment({ mode: 'minimal', base, cwd: '/work' });
    expect(Object.keys(environment).sort()).toEqual(
      [...kept, 'TMPDIR', 'XDG_RUNTIME_DIR', 'PWD', 'TERM', 'COLORTERM'].sort(),
    );
  });

  it('[S1.16] describes the terminal and the working directory', () => {
    const base = { TERM: 'dumb', COLORTERM: 'no', PWD: '/elsewhere' };
    const request = { mode: 'inherit', base, cwd: '/work' } as const;
    const expected = { TERM: 'xterm-256color', COLORTERM: 'truecolor', PWD: '/work' };
    expect(buildEnvironment(request)).toEqual(expected);
    expect(buildEnvironment({ ...request, term: 'vt220' })).toEqual({ ...expected, TERM: 'vt220' });
  });

  it('[S1.16] prefers explicit values, whatever their names', () => {
    const name = fc.constantFrom(...sensitiveNames, ...misleadingNames, ...harmlessNames, 'TERM');
    const explicitly = fc.dictionary(name, fc.string());
    const mode = fc.constantFrom('inherit' as const, 'minimal' as const);
    fc.assert(
      fc.property(explicitly, explicitly, mode, (base, explicit, chosen) => {
        const environment = buildEnvironment({ mode: chosen, base, cwd: '/', explicit });
        expect(environment).toMatchObject(explicit);
      }),
    );
  });

  it('tells an empty value from none', () => {
    const base = { EMPTY: '', NONE: undefined };
    const environment = buildEnvironment({ mode: 'inherit', base, cwd: '/' });
    expect(environment).toMatchObject({ EMPTY: '' });
    expect(environment).not.toHaveProperty('NONE');
  });
});
