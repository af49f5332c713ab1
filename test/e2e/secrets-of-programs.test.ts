import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { Following } from '../support/command/following.ts';
import { Place } from '../support/command/vtr-command.ts';
import { eras } from '../support/mcp/mcp-client.ts';
import { McpHttpServer } from '../support/mcp/mcp-http.ts';
import { hasProc } from '../support/pty/process-facts.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const onLinux = provided(hasProc, 'only on Linux: reads /proc');

/** Programs that vtr finds in PATH, or that BROWSER names. */
const programs = [
  'xdg-open',
  'browser',
  'notify-send',
  'ssh',
  'docker',
  'podman',
  'kubectl',
  'npm',
];

/** Writes what every user could have read of it, and what every program of this user could. */
const recorder = (log: string) => `#!/bin/sh
cat /proc/$$/cmdline /proc/$$/environ >> '${log}'
exit 1
`;

/** A user with stand-ins for the programs that vtr starts. */
class Watched {
  readonly place: Place;
  readonly #directory = tree();
  readonly env: Readonly<Record<string, string>>;

  constructor() {
    for (const name of programs) {
      const file = join(this.#directory, name);
      writeFileSync(file, recorder(`${file}.log`));
      chmodSync(file, 0o755);
    }
    const BROWSER = join(this.#directory, 'browser');
    const PATH = `${this.#directory}:${process.env['PATH'] ?? ''}`;
    this.env = { PATH, BROWSER, DISPLAY: ':0' };
    this.place = new Place(onTestFinished, this.env);
  }

  /** What a stand-in recorded. */
  of(program: string): string {
    try {
      return readFileSync(join(this.#directory, `${program}.log`), 'latin1');
    } catch {
      return '';
    }
  }

  async started(program: string): Promise<void> {
    await expect.poll(() => this.of(program), { interval: 20 }).not.toBe('');
  }
}

/** Arguments and environment of all processes that have a text in theirs. */
function processesWith(text: string): string[] {
  const read = (pid: string) => {
    try {
      const files = ['cmdline', 'environ'].map((name) => `/proc/${pid}/${name}`);
      return files.map((file) => readFileSync(file, 'latin1')).join('\0');
    } catch {
      return '';
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(read).filter((secret) => secret.includes(text));
}

const tokenOf = (link: string): string => link.trim().replace(/^.*[#?]t=/, '');

describe('a program that vtr starts', () => {
  onLinux('has no secret of vtr in its arguments and its environment', async () => {
    const watched = new Watched();
    const { place } = watched;
    await place.ok('spawn', 'one', '--', 'bash', '--norc');
    const secrets = [
      await place.ok('web', '--port', '0', '--open'),
      (await place.json('web', 'share', 'one')).url,
      (await place.json('web', 'share', 'one', '--alis')).url,
      // After the link that was opened, which it must not replace.
      (await place.json('web')).url,
    ].map(tokenOf);
    expect(secrets.every((secret) => /^[\w-]{43}$/.test(secret))).toBe(true);
    await watched.started('browser');
    const addresses = ['ssh://host', 'docker://box', 'podman://box', 'kube://ns/pod'];
    for (const address of addresses) {
      await place.vtr(['ls', '--coordinator', address]);
      await place.vtr(['install', address]);
      await place.vtr(['install', address]);
    }
    for (const each of ['ssh', 'docker', 'podman', 'kubectl']) await watched.started(each);

    // A key on the screen that a notification would tell.
    const key = 'AKIAQ3EGRFZ7VN5XK2TD';
    const notify = new Following(place, 'notify', '--desktop');
    await expect
      .poll(() => place.ok('metrics'))
      .toMatch(/^vtr_calls_in_progress\{.*"WatchSessions".*\} 1$/m);
    await place.vtr(['run', 'one', '--', `printf '\\033]777;notify;title;key ${key}\\a'`]);
    await watched.started('notify-send');
    await notify.stop();
    expect(watched.of('notify-send')).toContain('title');

    const recorded = programs.map((each) => watched.of(each)).join('\0');
    const left = processesWith(place.socket);
    // The daemon, its PTY host and the shell, at least.
    expect(left.length).toBeGreaterThanOrEqual(3);
    for (const secret of [...secrets, key]) {
      expect(recorded).not.toContain(secret);
      expect(left.join('\0')).not.toContain(secret);
    }
  });

  onLinux('has no token of vtr mcp, which a daemon and ssh would get from it', async () => {
    const watched = new Watched();
    const token = 'token-of-the-mcp-server-0123456789';
    const server = await McpHttpServer.start(watched.place, { env: { VTR_MCP_TOKEN: token } });
    const host = await server.connect(eras[0], { token });
    await host.call('create_session', { program: 'cat' });
    const started = processesWith(watched.place.socket).filter((each) => !each.includes('\0mcp\0'));
    expect(started.length).toBeGreaterThanOrEqual(2);
    expect(started.join('\0')).not.toContain(token);
  });
});
