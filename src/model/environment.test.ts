import { describe, expect, it } from 'vitest';
import { callerEnvironment, isSensitiveName } from '#model';

const sensitiveNames = [
  // From the list of the document.
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'GITHUB_TOKEN',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  // These are not in its list.
  'GH_TOKEN',
  'GH_HOST',
  'NPM_TOKEN',
  'npm_config__auth',
  'NPM_CONFIG_//registry.npmjs.org/:_authToken',
  'AWS_ACCESS_KEY_ID',
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
  'AWS_PROFILE',
  'AWS_DEFAULT_REGION',
  'AWS_CA_BUNDLE',
  // Set by people, for any program.
  'CODEX_HOME',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CONFIG_DIR',
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
  // The caller runs in the host of an agent.
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_PROJECT_DIR',
  'AI_AGENT',
  'CODEX_SANDBOX',
  'CODEX_THREAD_ID',
  'GEMINI_CLI',
  'GEMINI_CLI_NO_RELAUNCH',
  'OPENCODE',
  'OPENCODE_PID',
  'AGENT',
  'QWEN_CODE_SESSION_ID',
  'CLINE_CONNECTOR_CLI_LAUNCH',
  'AUGMENT_AGENT',
  'FACTORY_DISABLE_SETTINGS_PERSISTENCE',
  'VSCODE_GIT_IPC_HANDLE',
];

/** Where the agents of ssh and gpg listen. */
const agentNames = ['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO'];

describe('callerEnvironment', () => {
  it.each(sensitiveNames)('[S1.16] does not pass %s, and names it', (name) => {
    const environment = callerEnvironment({ [name]: 'x' });
    expect(environment).toEqual({ variables: {}, notPassed: [name] });
    expect(isSensitiveName(name)).toBe(true);
  });

  it.each(harmlessNames)('passes %s', (name) => {
    const environment = callerEnvironment({ [name]: 'x' });
    expect(environment).toEqual({ variables: { [name]: 'x' }, notPassed: [] });
    expect(isSensitiveName(name)).toBe(false);
  });

  it.each(misleadingNames)(
    'does not pass %s, which describes the caller, without a word',
    (name) => {
      expect(callerEnvironment({ [name]: 'x' })).toEqual({ variables: {}, notPassed: [] });
    },
  );

  it.each(agentNames)('[S1.16] passes %s, except to the sessions of an agent', (name) => {
    expect(callerEnvironment({ [name]: 'x' }).variables).toEqual({ [name]: 'x' });
    const forAgent = callerEnvironment({ [name]: 'x' }, { agents: false });
    expect(forAgent).toEqual({ variables: {}, notPassed: [name] });
    expect(isSensitiveName(name)).toBe(true);
  });

  it('passes any variable by its name', () => {
    const own = { GITHUB_TOKEN: 'x', NPM_TOKEN: 'y', TMUX: 'z' };
    expect(callerEnvironment(own, { pass: ['GITHUB_TOKEN', 'TMUX', 'NONE'] })).toEqual({
      variables: { GITHUB_TOKEN: 'x', TMUX: 'z' },
      notPassed: ['NPM_TOKEN'],
    });
  });

  it('tells an empty value from none', () => {
    const { variables } = callerEnvironment({ EMPTY: '', NONE: undefined });
    expect(variables).toEqual({ EMPTY: '' });
  });
});
