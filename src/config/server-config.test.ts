import { describe, expect, it } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { readServerConfig, serverOptions } from './server-config.ts';

const parse = (source: string) => {
  const directory = tree({ 'server.toml': source });
  return readServerConfig({ env: { HOME: '/home/me' } }, `${directory}/server.toml`);
};

describe('server.toml', () => {
  it('sets the defaults of flags', async () => {
    const source = `
      socket_path = "~/run/vtr.sock"
      scrollback_limit = 500
      default_shell = "/bin/zsh"
      max_sessions = 5
      max_kept_exited = 7
      snapshot_buffer = 3
      socket_mode = "0660"
      shell_integration = false
      grapheme_clusters = false
      idle_timeout = "1h"
      max_wait = "5s"
      log_level = "warn"
      pty_host = "process"
      persist = "memory"
      on_sigterm = "keep"
      recording_memory = 4
      recording_memory_total = 512
    `;
    expect(await parse(source)).toEqual({
      ...(await parse('')),
      socketPath: '/home/me/run/vtr.sock',
      scrollbackLimit: 500,
      defaultShell: '/bin/zsh',
      maxSessions: 5,
      maxKeptExited: 7,
      snapshotBuffer: 3,
      socketMode: 0o660,
      shellIntegration: false,
      graphemeClusters: false,
      idleTimeoutMs: 3_600_000,
      maxWaitMs: 5_000,
      logLevel: 'warn',
      ptyHost: 'process',
      persist: 'memory',
      onSigterm: 'keep',
      recordingMemoryBytes: 4 * 1024 * 1024,
      recordingMemoryTotalBytes: 512 * 1024 * 1024,
    });
  });

  it('has a default for each key, which its check accepts', async () => {
    for (const [name, { value, default: byDefault }] of Object.entries(serverOptions)) {
      if (byDefault !== null) expect([name, value.accepts(byDefault)]).toEqual([name, true]);
    }
    expect(await parse('')).toMatchObject({
      socketPath: null,
      socketMode: 0o600,
      maxSessions: 1000,
      recordingsMaxAgeMs: 30 * 24 * 60 * 60 * 1000,
      auditMaxBytes: 64 * 1024 * 1024,
      redactPatterns: [],
    });
  });

  it.each([
    ['scrollback_limit = -1', '1:20: scrollback_limit is -1; it must be a whole number from 0'],
    [
      '\nsocket_path = "here.sock"',
      '2:15: socket_path is "here.sock"; it must be the absolute path of a Unix socket',
    ],
    ['socket_path = "/x://y"', '1:15: socket_path is "/x://y"; it must be the absolute path of'],
    ['socket_mode = "0777"', '1:15: socket_mode is "0777"; it must be "0600" or "0660"'],
    ['shell_integration = "no"', '1:21: shell_integration is "no"; it must be true or false'],
    ['max_wait = 5', '1:12: max_wait is 5; it must be a duration such as "500ms", "5s" or "2m"'],
    ['log_level = "loud"', '1:13: log_level is "loud"; it must be "error" or "warn" or'],
    ['prompt_pattern = "("', '1:18: prompt_pattern: "(" is not a valid RE2 regular expression: '],
    ['redact_patterns = ["a", "("]', '1:19: redact_patterns: "(" is not a valid RE2 regular'],
    ['  sock_path = "/x"', '1:3: unknown key sock_path; did you mean socket_path?'],
    ['[server]', '1:1: unknown key server; valid keys are socket_path, '],
  ])('refuses %j', async (source, message) => {
    await expect(parse(source)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(`server.toml:${message}`),
    });
  });

  it('may be missing unless it is named', async () => {
    const directory = tree();
    const env = { XDG_CONFIG_HOME: directory };
    expect(await readServerConfig({ env })).toEqual(await parse(''));
    await expect(readServerConfig({ env }, `${directory}/none.toml`)).rejects.toThrow(
      'does not exist',
    );
  });
});
