import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { SelectedList, selectedAddress, selectedAddresses } from './selected.ts';

/** A PATH with a tool that writes its words to a file, and then runs a script. */
function toolIn(name: string, script: string) {
  const bin = tree({ [name]: `#!/bin/sh\nprintf '%s\\n' "$@" >"$0.words"\n${script}\n` });
  chmodSync(join(bin, name), 0o755);
  return {
    options: { env: { PATH: `${bin}:${process.env['PATH']}` } },
    words: () =>
      readFileSync(join(bin, `${name}.words`), 'utf8')
        .trim()
        .split('\n'),
  };
}

// The formats are those that the tools' manuals show for these flags.
describe('what a selector selects', () => {
  it('is read from docker ps, also for a container that others link to', async () => {
    const list = `printf 'web-2\\nweb-10,proxy/web\\nproxy/api,api\\nweb-1\\n'`;
    const { options, words } = toolIn('docker', list);
    expect(await selectedAddresses('docker://web-*/v.sock', options)).toEqual([
      ...['docker://web-1/v.sock', 'docker://web-10/v.sock', 'docker://web-2/v.sock'],
    ]);
    expect(words()).toEqual(['ps', '--filter', 'status=running', '--format', '{{.Names}}']);
    expect(await selectedAddresses('docker://label=x', options)).toContain('docker://api');
  });

  it('is read from kubectl get pods', async () => {
    const { options, words } = toolIn('kubectl', `printf 'pod/web-0\\npod/api-7d9f\\n'`);
    expect(await selectedAddresses('kube://dev@ci/app=web/box', options)).toEqual([
      ...['kube://dev@ci/api-7d9f/box', 'kube://dev@ci/web-0/box'],
    ]);
    expect(words()).toContain('--selector=app=web');
    expect(await selectedAddresses('kube://dev@ci/w*', options)).toEqual(['kube://dev@ci/web-0']);
  });

  it('has no name that could be an option, or is none', async () => {
    const { options } = toolIn('podman', `printf -- '--rm\\n\\nweb 1\\na;b\\nok\\n'`);
    expect(await selectedAddresses('podman://*', options)).toEqual(['podman://ok']);
  });

  it('is one address where one is needed, or a failure that names them', async () => {
    const { options } = toolIn('docker', `printf 'web-1\\nweb-2\\napi\\n'`);
    expect(await selectedAddress('docker://a*', options)).toBe('docker://api');
    await expect(selectedAddress('docker://web-*', options)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message:
        'docker://web-* selects 2 containers; choose one:\n  docker://web-1\n  docker://web-2',
    });
    await expect(selectedAddress('docker://db-*', options)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'no running container matches docker://db-*',
    });
  });

  it.each([
    [
      'with its words',
      'echo "Is the docker daemon running?" >&2; exit 1',
      {},
      'Is the docker daemon running?',
    ],
    ['with its status', 'exit 3', {}, 'docker exited with status 3'],
    ['with its signal', 'kill -9 $$', {}, 'docker was killed by SIGKILL'],
    ['if it hangs', 'exec sleep 600', { limitMs: 100 }, 'docker has not answered within 0.1 s'],
    ['if it never ends its list', 'exec yes', {}, 'maxBuffer'],
  ])('is not known if the tool fails: %s', async (_how, script, more, words) => {
    const { options } = toolIn('docker', script);
    const failure = await selectedAddresses('docker://*', { ...options, ...more }).catch(
      (error) => error,
    );
    expect(failure).toMatchObject({
      code: 'UNAVAILABLE',
      details: { socket: 'docker://*', sent: 'no' },
    });
    expect(failure.message).toContain('the containers of docker://* cannot be listed: ');
    expect(failure.message).toContain(words);
  });

  it('is not known without the tool', async () => {
    const options = { env: { PATH: tree() } };
    await expect(selectedAddresses('kube://ns/*', options)).rejects.toThrow(
      'the pods of kube://ns/* cannot be listed: kubectl is not installed',
    );
  });
});

describe('selected list', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  /** A docker in PATH that lists the containers of a file. */
  function dockerOf(names: string) {
    const bin = tree({ docker: '#!/bin/sh\nexec cat "$0.list"\n' });
    chmodSync(join(bin, 'docker'), 0o755);
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    const lists = (text: string) => writeFileSync(join(bin, 'docker.list'), `${text}\n`);
    lists(names);
    return lists;
  }

  describe('the list of a selector', () => {
    it('is the last one for up to 30 s, while the next one is made, and never an older one', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      const lists = dockerOf('web-1');
      const list = new SelectedList('docker://web-*', () => 60_000);
      expect(await list.current()).toEqual({ addresses: ['docker://web-1'] });
      lists('web-2');
      vi.advanceTimersByTime(10_000);
      expect(await list.current()).toEqual({ addresses: ['docker://web-1'] });
      vi.advanceTimersByTime(20_000);
      // The age is 30 s: the next list is made, and this one is still given.
      expect(await list.current()).toEqual({ addresses: ['docker://web-1'] });
      vi.advanceTimersByTime(1);
      expect(await list.current()).toEqual({ addresses: ['docker://web-2'] });
    });

    it('is a new one where nobody has asked for an hour', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      const lists = dockerOf('web-1');
      const list = new SelectedList('docker://web-*', () => 60_000);
      await list.current();
      lists('web-2');
      vi.advanceTimersByTime(3_600_000);
      expect(await list.current()).toEqual({ addresses: ['docker://web-2'] });
    });
  });
});
