import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import { logoutFinding, logoutRules } from './findings.ts';

const socket = '/run/user/1000/vtr/default.sock';

/** A root directory with these files. */
function rootWith(files: Readonly<Record<string, string>>): string {
  const root = tree();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const systemd = { 'run/systemd/system/x': '' };
const lingering = { 'var/lib/systemd/linger/me': '' };
const kill = '[Login]\nKillUserProcesses=yes\n';

describe('a logout', () => {
  it.each([
    ['not controlled', {}, socket, 'good', 'not controlled by systemd'],
    ['the socket is removed', systemd, socket, 'warning', 'the directory of the socket is removed'],
    ['the socket is elsewhere', systemd, '/home/me/.vtr/s.sock', 'good', 'sessions continue'],
    [
      'processes are killed',
      { ...systemd, 'etc/systemd/logind.conf': kill },
      '/home/me/.vtr/s.sock',
      'warning',
      'KillUserProcesses=yes',
    ],
    [
      'a later file wins',
      {
        ...systemd,
        'etc/systemd/logind.conf': kill,
        'etc/systemd/logind.conf.d/10-keep.conf': 'KillUserProcesses=no',
      },
      '/home/me/.vtr/s.sock',
      'good',
      'sessions continue',
    ],
    [
      'a comment does not count',
      { ...systemd, 'etc/systemd/logind.conf': '#KillUserProcesses=yes\n' },
      '/home/me/.vtr/s.sock',
      'good',
      'sessions continue',
    ],
    [
      'with linger',
      { ...systemd, ...lingering, 'etc/systemd/logind.conf': kill },
      socket,
      'good',
      'sessions continue',
    ],
  ])('%s', (_what, files, path, state, text) => {
    const finding = logoutFinding(logoutRules(rootWith(files), 'me'), path);
    expect(finding).toMatchObject({ state, text: expect.stringContaining(text) });
    expect(finding.fix).toBe(state === 'good' ? undefined : 'loginctl enable-linger me');
  });
});
