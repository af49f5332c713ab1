import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAddress, parseSelector } from '#model';
import { tree } from '../../test/support/tree.ts';
import { fallbackCommand, listCommand, scriptCommand, toolCommand } from './tool-command.ts';

const lineOf = (address: string, options = {}): readonly string[] => {
  const usual = { start: false, mayPrompt: false, inSession: false };
  const settings = { ...usual, sshConfig: '/h/.vtr/ssh/config', ...options };
  const { program, args } = toolCommand(parseAddress(address), settings);
  return [program, ...args];
};

const remote = (command: string) => `sh -c 'PATH="$PATH:$HOME/.local/bin" exec ${command}'`;

// Checked against ssh(1), `docker exec --help` of 27.5, `podman-exec(1)` and `kubectl exec --help` of 1.32.
describe('the command of an address', () => {
  it.each<[string, readonly string[]]>([
    [
      'ssh://gpu1',
      [
        ...['ssh', '-F', '/h/.vtr/ssh/config', '-T', '-o', 'BatchMode=yes', '--', 'gpu1'],
        remote('vtr connect'),
      ],
    ],
    [
      'ssh://me@[::1]:2222/run/it.sock',
      [
        ...['ssh', '-F', '/h/.vtr/ssh/config', '-T', '-o', 'BatchMode=yes'],
        ...['-l', 'me', '-p', '2222', '--', '::1', remote('vtr connect --socket /run/it.sock')],
      ],
    ],
    ['docker://web', ['docker', 'exec', '-i', 'web', 'vtr', 'connect']],
    [
      'docker://web/run/v.sock',
      ['docker', 'exec', '-i', 'web', 'vtr', 'connect', '--socket', '/run/v.sock'],
    ],
    ['podman://web', ['podman', 'exec', '-i', 'web', 'vtr', 'connect']],
    [
      'kube://ns/pod',
      ['kubectl', 'exec', '-i', '--quiet', '--namespace=ns', 'pod', '--', 'vtr', 'connect'],
    ],
    [
      'kube://a%2Fb@ns/pod/box',
      [
        ...['kubectl', 'exec', '-i', '--quiet', '--context=a/b', '--namespace=ns', 'pod'],
        ...['--container=box', '--', 'vtr', 'connect'],
      ],
    ],
    ["exec:nsenter --target 12 'a b'", ['nsenter', '--target', '12', 'a b', 'vtr', 'connect']],
  ])('%s', (address, words) => {
    expect(lineOf(address)).toEqual(words);
  });

  it('starts a daemon, lets ssh ask, and leaves ssh its own configuration', () => {
    expect(lineOf('ssh://a', { start: true, mayPrompt: true, sshConfig: null })).toEqual([
      ...['ssh', '-T', '--', 'a', remote('vtr connect --start')],
    ]);
    expect(lineOf('docker://a', { start: true }).slice(-3)).toEqual(['vtr', 'connect', '--start']);
  });

  it('uses a shared connection of ssh in a session, but makes none', () => {
    expect(lineOf('ssh://a', { inSession: true }).slice(3, -3)).toEqual([
      ...['-T', '-o', 'BatchMode=yes', '-o', 'ControlMaster=no'],
    ]);
    expect(lineOf('docker://a', { inSession: true })).toEqual(lineOf('docker://a'));
  });

  it("quotes a socket for the shell of ssh's other side", () => {
    const [script] = lineOf("ssh://a/b'c%20$d").slice(-1);
    expect(script).toBe(
      `sh -c 'PATH="$PATH:$HOME/.local/bin" exec vtr connect --socket '\\''/b'\\''\\'\\'''\\''c $d'\\'''`,
    );
  });

  it('searches ~/.local/bin in a container by a shell, when it is called again', () => {
    const options = { start: true, mayPrompt: false, inSession: false, sshConfig: null };
    const script = 'PATH="$PATH:$HOME/.local/bin" exec vtr connect --start';
    for (const [address, before] of [
      ['docker://web', ['docker', 'exec', '-i', 'web']],
      ['kube://ns/pod', ['kubectl', 'exec', '-i', '--quiet', '--namespace=ns', 'pod', '--']],
    ] as const) {
      const { program, args } = fallbackCommand(parseAddress(address), options);
      expect([program, ...args]).toEqual([...before, 'sh', '-c', script]);
    }
    const { args } = fallbackCommand(parseAddress('exec:nsenter -t 12'), options);
    expect(args).toEqual(['-t', '12', 'sh', '-c', `:\nexec sh -c '${script}'`]);
  });

  const options = { mayPrompt: false, inSession: false, sshConfig: null };

  it('runs a script, over ssh as one word for the shell of its other side', () => {
    const ran = (address: string) =>
      scriptCommand(parseAddress(address), 'echo "a b"', options).args.slice(-3);
    expect(ran('podman://web/x.sock')).toEqual(['sh', '-c', 'echo "a b"']);
    expect(ran('ssh://a')).toEqual(['--', 'a', `sh -c 'echo "a b"'`]);
  });

  // ssh joins its words with blanks, and a shell of the other side splits them.
  it.each([
    ['env A=1', ''],
    [`sh -c 'exec sh -c "$*"' joins`, ''],
    ['ssh a', '/a'],
    ['env A=1 ssh a', '/a'],
    ['ssh a ssh b', '/a/b'],
    ['ssh a env A=1 ssh b', '/a/b'],
    ['ssh a autossh b ssh c', '/a/b/c'],
    ['ssh a docker exec -i web', '/a/web'],
    ['ssh a ssh b docker exec -i web', '/a/b/web'],
  ])('runs a script where the last program of exec:%s does', (text, place) => {
    const bin = tree({
      ssh: '#!/bin/sh\nexport AT="$AT/$1"\nshift\nexec sh -c "$*"\n',
      docker: '#!/bin/sh\nexport AT="$AT/$3"\nshift 3\nexec "$@"\n',
    });
    symlinkSync('ssh', join(bin, 'autossh'));
    for (const name of ['ssh', 'docker']) chmodSync(join(bin, name), 0o755);
    const tool = text.replace(/\b(auto)?ssh\b|docker/g, (name) => join(bin, name));
    const script = `printf '%s|' "a  b" 'it'\\''s' "$0" "$AT"\ncat`;
    for (const command of [
      scriptCommand(parseAddress(`exec:${tool}`), script, options),
      scriptCommand(parseAddress(`exec:${tool}`), `(${script}\n); exit 0`, options),
    ]) {
      const { stdout } = spawnSync(command.program, command.args, {
        input: 'in',
        encoding: 'utf8',
        env: { ...process.env, AT: '' },
      });
      expect(stdout).toBe(`a  b|it's|sh|${place}|in`);
    }
  });
});

// Checked against `docker ps --help` of 27.5, podman-ps(1) and `kubectl get --help` of 1.32.
describe('the command that lists what a selector selects', () => {
  it.each<[string, readonly string[]]>([
    ['docker://web-*', ['docker', 'ps', '--filter', 'status=running', '--format', '{{.Names}}']],
    [
      'podman://label=app=web,label=tier',
      [
        ...['podman', 'ps', '--filter', 'status=running', '--filter', 'label=app=web'],
        ...['--filter', 'label=tier', '--format', '{{.Names}}'],
      ],
    ],
    [
      'kube://ns/web-*',
      [
        ...['kubectl', 'get', 'pods', '--namespace=ns', '--field-selector=status.phase=Running'],
        '--output=name',
      ],
    ],
    [
      'kube://a%2Fb@ns/app=web,tier%20in%20(x)/box',
      [
        ...['kubectl', 'get', 'pods', '--context=a/b', '--namespace=ns'],
        ...['--field-selector=status.phase=Running', '--selector=app=web,tier in (x)'],
        '--output=name',
      ],
    ],
  ])('%s', (selector, words) => {
    const { program, args } = listCommand(parseSelector(selector));
    expect([program, ...args]).toEqual(words);
  });
});
