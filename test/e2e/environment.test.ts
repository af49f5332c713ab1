import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { McpHost } from '../support/mcp/mcp-client.ts';
import { needs } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

type Variables = Readonly<Record<string, string>>;

/** What an agent's host adds to the environment in which it starts the daemon. */
const ofHost = { FOO: 'old', CLAUDECODE: '1', AI_AGENT: 'x', CODEX_SANDBOX: '1' };

async function placeOfAgent(): Promise<Place> {
  const place = new Place();
  await vtr(place, ofHost, 'spawn', 'early', '--', 'sleep', '300');
  return place;
}

/** Returns what a caller with more variables gets, and what it is told. */
async function vtr(place: Place, env: Variables, ...words: readonly string[]) {
  const { status, stdout, stderr } = await place.vtr(words, { env });
  return { status, stdout, stderr };
}

const printed = (stdout: string) => ({ status: 0, stdout, stderr: '' });

/** Returns a PATH with a directory in front in which there is a program. */
function pathWith(place: Place, program: string): string {
  const directory = tree({ [program]: '#!/bin/sh\necho here\n' });
  chmodSync(join(directory, program), 0o755);
  return `${directory}:${place.env['PATH']}`;
}

describe('the environment of a program', () => {
  it('is the one of the caller, whoever started the daemon', async () => {
    const place = await placeOfAgent();
    const show = ['--cmd', 'echo "[$FOO][$CLAUDECODE$AI_AGENT$CODEX_SANDBOX]"'];
    const exec = (env: Variables, ...words: string[]) => vtr(place, env, 'exec', ...words);
    expect(await exec({}, ...show)).toEqual(printed('[][]\n'));
    expect(await exec({ ...ofHost, FOO: '1' }, ...show)).toEqual(printed('[1][]\n'));
    const named = ['--env', 'CLAUDECODE', '--env', 'FOO=2', ...show];
    expect(await exec(ofHost, ...named)).toEqual(printed('[2][1]\n'));
    const PATH = pathWith(place, 'onlyhere');
    expect(await exec({ PATH }, '--', 'onlyhere')).toEqual(printed('here\n'));
    const { status, stderr } = await exec({}, '--', 'onlyhere');
    expect(status).toBe(8);
    expect(stderr).toContain(`PATH is ${place.env['PATH']}`);
  });

  needs('bash')('starts the shell of the caller', async () => {
    const place = await placeOfAgent();
    const { stdout } = await vtr(place, { SHELL: '/bin/bash' }, 'spawn', 'mine', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      program: '/bin/bash',
      environment: { kind: 'caller', not_passed: [] },
    });
  });

  it('has no secrets, which are named, unless they are passed', async () => {
    const place = await placeOfAgent();
    const env = { GITHUB_TOKEN: 'ghp_0123456789abcdefghij', SSH_AUTH_SOCK: '/tmp/agent' };
    const show = ['--cmd', 'echo "[$GITHUB_TOKEN][$SSH_AUTH_SOCK]"'];
    expect(await vtr(place, env, 'exec', ...show)).toEqual({
      status: 0,
      stdout: '[][/tmp/agent]\n',
      stderr: 'vtr: not passed: GITHUB_TOKEN; pass it with --env GITHUB_TOKEN\n',
    });
    const passed = printed('[ghp_0123456789abcdefghij][/tmp/agent]\n');
    expect(await vtr(place, env, 'exec', '--env', 'GITHUB_TOKEN', ...show)).toEqual(passed);
    const more = { ...env, API_KEY: 'x' };
    const several = await vtr(place, more, 'spawn', 'one', '--', 'cat');
    expect(several.stderr).toBe(
      'vtr: not passed: API_KEY, GITHUB_TOKEN; pass one with --env NAME\n',
    );
    expect((await place.json('info', 'one')).environment).toEqual({
      kind: 'caller',
      not_passed: ['API_KEY', 'GITHUB_TOKEN'],
    });
    expect(await vtr(place, {}, 'spawn', 'x', '--env', 'NO_SUCH')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--env NO_SUCH: the variable is not set'),
    });
    const directory = join(place.env['XDG_CONFIG_HOME'] ?? '', 'vtr');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'config.toml'), '[environment]\npass = ["GITHUB_TOKEN"]\n');
    expect(await vtr(place, env, 'exec', ...show)).toEqual(passed);
  });

  it('is the one of the caller of revive, also in a daemon that never saw one', async () => {
    const place = await placeOfAgent();
    const words = [
      '--wait',
      '\\]',
      '--',
      'sh',
      '-c',
      'echo "[$FOO][$TOKEN]"; test -z "$STAY" || cat',
    ];
    await vtr(place, { FOO: 'first' }, 'spawn', 's', '--env', 'TOKEN=x', ...words);
    await vtr(place, { FOO: 'first' }, 'spawn', 'few', '--environment', 'minimal', ...words);
    for (const name of ['s', 'few']) await place.result(['wait', name, '--exit']);
    expect((await place.vtr(['serve', '--restart'])).status).toBe(0);
    const now = { FOO: 'second', TOKEN: 'mine', STAY: '1' };
    expect(await vtr(place, now, 'revive', 's', '--env', 'TOKEN')).toEqual(printed('s\n'));
    await place.ok('wait', 's', '--screen', '\\[second\\]\\[mine\\]');
    await vtr(place, now, 'revive', 'few');
    await place.result(['wait', 'few', '--exit']);
    expect((await place.json('info', 'few')).environment.kind).toBe('minimal');
  });

  it('is the one of a login, or minimal, where that is asked for', async () => {
    const place = await placeOfAgent();
    const env = { FOO: 'mine', TZ: 'UTC' };
    const show = ['--cmd', 'echo "[$FOO][$TZ]"'];
    const shown = (kind: string) => vtr(place, env, 'exec', '--environment', kind, ...show);
    expect((await shown('login')).stdout).not.toContain('mine');
    expect(await shown('minimal')).toEqual(printed('[][UTC]\n'));
    expect(await shown('caller')).toEqual(printed('[mine][UTC]\n'));
    expect(await shown('inherit')).toEqual(printed('[mine][UTC]\n'));
    await place.ok('spawn', 'l', '--environment', 'login', '--', 'cat');
    expect((await place.json('info', 'l')).environment.kind).toBe('login');
  });

  needs('bash')('has UTF-8 without a locale', async () => {
    const place = new Place();
    const env = { LANG: '', LC_ALL: '', LC_CTYPE: '' };
    const show = ['exec', '--', 'bash', '--norc', '-c', 'echo "$LANG"; printf %s ïï | wc -m'];
    expect((await vtr(place, env, ...show)).stdout).toMatch(/UTF-8\n2\n$/);
  });
});

describe("the environment of an agent's sessions", () => {
  it('is the one of the MCP server, without the agent of ssh; secrets are named once', async () => {
    const daemon = await placeOfAgent();
    const more = { FOO: 'host', CLAUDECODE: '1', MY_TOKEN: 'secret', SSH_AUTH_SOCK: '/tmp/agent' };
    for (const flags of [[], ['--embedded']]) {
      const host = await McpHost.start(daemon, { flags, env: more });
      const args = ['-c', 'echo "[$FOO][$CLAUDECODE][$MY_TOKEN][$SSH_AUTH_SOCK]"; cat'];
      const first = await host.call('create_session', { program: 'sh', args });
      expect(first.missing_env).toEqual(['MY_TOKEN', 'SSH_AUTH_SOCK']);
      const { session_id } = first;
      const read = { session_id, view: 'screen', wait_for: ['\\]'] };
      expect((await host.call('read', read)).content).toContain('[host][][][]');
      const second = await host.call('create_session', { program: 'sh', args });
      expect(second).not.toHaveProperty('missing_env');
    }
  });
});
