import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { TermcpHost } from '../../support/mcp/termcp-host.ts';
import { needs } from '../../support/run/needs.ts';

/** A new directory with these files, and termcp with a shell in it. */
async function shellIn(files: Readonly<Record<string, string>>) {
  const place = new Place();
  const directory = join(place.directory, 'project');
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const env = { PS1: '$ ', GIT_CONFIG_NOSYSTEM: '1', GIT_PAGER: 'cat', NO_COLOR: '1' };
  // No network access.
  const npm = { NPM_CONFIG_UPDATE_NOTIFIER: 'false', NPM_CONFIG_OFFLINE: 'true' };
  const server = await TermcpHost.start(['--workdir', directory, 'sh'], {
    place,
    env: { ...env, ...npm },
  });
  return { server, directory };
}

/** The five scenarios of the design, with the official client. */
describe('termcp', () => {
  needs('python3')('[S4.13] debugs Python', async () => {
    const { server } = await shellIn({});
    const session_id = 'debug_session';
    const writes = (text: string) => server.ok('write_stdin', { session_id, text });
    const reads = (text: string) => server.until(text, { session_id, timeout_ms: 2000 });
    await writes('python3\n');
    expect(await reads('>>> ')).toContain('Python 3.');
    await writes('def divide(a, b):\n    return a / b\n\nprint(divide(10, 0))\n');
    await reads('ZeroDivisionError: division by zero');
    await writes(
      'def divide(a, b):\n    return a / b if b != 0 else None\n\nprint(divide(10, 0))\n',
    );
    await reads('None\r\n>>> ');
  });

  needs('git')('[S4.13] works with git', async () => {
    const { server, directory } = await shellIn({ 'api.txt': 'one\n' });
    const own = 'git config user.name t; git config user.email t@example.org';
    await server.types(
      `git init -q -b main . && ${own}; git add . && git commit -qm first; echo read""y`,
      'ready',
    );
    const status = await server.types('git status', 'working tree clean');
    expect(status).toContain('On branch main');
    await server.types('git checkout -b feature/new-api', "branch 'feature/new-api'");
    writeFileSync(join(directory, 'api.txt'), 'two\n');
    writeFileSync(join(directory, 'endpoint.txt'), 'new\n');
    await server.ok('write_stdin', { text: 'git add .\n' });
    const commit = await server.types("git commit -m 'Add new API endpoint'", '2 files changed');
    expect(commit).toMatch(/\[feature\/new-api \w+\] Add new API endpoint/);
  });

  needs('python3')('[S4.13] runs tests, finds a failing one, and runs it again', async () => {
    const login = (status: number) => `def login():\n    return ${status}\n`;
    const tests = [
      'import unittest, api',
      'class TestApi(unittest.TestCase):',
      '    def test_login(self):',
      '        self.assertEqual(api.login(), 200)',
      '    def test_other(self):',
      '        pass',
    ];
    const { server, directory } = await shellIn({
      'api.py': login(401),
      'test_api.py': `${tests.join('\n')}\n`,
    });
    // A stand-in for pytest, which may be missing. It writes no caches, which could hide the fix.
    const run = 'python3 -B -m unittest -v';
    const failed = await server.types(`${run} test_api`, 'FAILED (failures=1)');
    expect(failed).toContain('AssertionError: 401 != 200');
    expect(failed).toMatch(/test_other .*ok/);
    writeFileSync(join(directory, 'api.py'), login(200));
    const passed = await server.types(`${run} test_api.TestApi.test_login`, 'OK');
    expect(passed).toMatch(/test_login .*ok/);
  });

  needs('python3')('[S4.13] starts a server and stops it', async () => {
    const { server } = await shellIn({ 'index.html': 'hello from here' });
    const started = await server.types('python3 -u -m http.server --bind 127.0.0.1 0', '...');
    const [, url = ''] = /\((http:[^)]*)\)/.exec(started) ?? [];
    expect(await (await fetch(url)).text()).toBe('hello from here');
    await server.until('GET / HTTP/1.1');
    await server.ok('send_keys', { key: 'ctrl_c' });
    const stopped = await server.until('$ ', { timeout_ms: 2000 });
    expect(stopped).toContain('^C');
    await expect(fetch(url)).rejects.toThrow();
  });

  needs('npm')('[S4.13] answers the questions of an interactive tool', async () => {
    const { server, directory } = await shellIn({});
    await server.types('npm init', 'package name: (project)');
    await server.types('my-project', 'version: (1.0.0)');
    const answers = [
      'description:',
      'entry point:',
      'test command:',
      'git repository:',
      'keywords:',
    ];
    for (const question of [...answers, 'author:', 'license:']) {
      await server.ok('send_keys', { key: 'enter' });
      await server.until(question);
    }
    await server.ok('send_keys', { key: 'enter' });
    let text = await server.until('(');
    // Newer versions also ask for the kind of module.
    while (!text.includes('Is this OK?')) {
      if (text.includes('type: (')) await server.ok('send_keys', { key: 'enter' });
      text += (await server.ok('read_output')).output;
    }
    await server.ok('send_keys', { key: 'enter' });
    await server.until('$ ');
    expect(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))).toMatchObject({
      name: 'my-project',
      version: '1.0.0',
    });
  });
});
