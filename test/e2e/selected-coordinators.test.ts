import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '#app/client';
import { shellQuoted } from '#base';
import { version } from '#model';
import { PersonTerminal } from '../support/command/person-terminal.ts';
import { Place } from '../support/command/vtr-command.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { type OnEnd, tree } from '../support/tree.ts';
import { inBrowser, openPage } from '../support/web/browser.ts';

/** What ends with this file, the last begun first: hooks cannot be added in a hook. */
const ends: (() => void | Promise<void>)[] = [];
const onFileEnd: OnEnd = (end) => void ends.unshift(end);
afterAll(async () => {
  for (const end of ends) await end();
});

const joinedSocket = [process.execPath, testProgram('joined-socket.mjs')]
  .map(shellQuoted)
  .join(' ');

// They list the names in a file, and connect to the coordinator of a name, as the tools would.
const connecting = `[ -e "$here/$name" ] || { echo "No such container: $name" >&2; exit 1; }
exec ${joinedSocket} "$(cat "$here/$name")" ${version}`;
const docker = `#!/bin/sh
echo "$*" >>"$0.calls"
here=$(dirname "$0")
[ "$1" = ps ] && exec cat "$here/names"
name=$3
${connecting}
`;
const kubectl = `#!/bin/sh
echo "$*" >>"$0.calls"
here=$(dirname "$0")
[ "$1" = get ] && exec sed s,^,pod/, "$here/names"
while [ "$1" != -- ]; do
  case $1 in -*) ;; *) name=$1;; esac
  shift
done
${connecting}
`;

describe('the containers of a selector', () => {
  let bin: string;
  let place: Place;
  const served = new Map<string, ServedCoordinator>();

  const run = (...names: readonly string[]) => {
    writeFileSync(join(bin, 'names'), names.map((name) => `${name}\n`).join(''));
  };
  const calls = (tool: string) => readFileSync(join(bin, `${tool}.calls`), 'utf8');
  const localOf = (name: string) => {
    const { local } = served.get(name) ?? {};
    if (local === undefined) throw new Error(`no container ${name}`);
    return local;
  };

  beforeAll(async () => {
    const podman = '#!/bin/sh\necho "cannot connect to Podman" >&2\nexit 125\n';
    bin = tree({ docker, kubectl, podman }, onFileEnd);
    for (const tool of ['docker', 'kubectl', 'podman']) chmodSync(join(bin, tool), 0o755);
    for (const name of ['web-1', 'web-2']) {
      const coordinator = await serveCoordinator();
      onFileEnd(() => coordinator.end());
      served.set(name, coordinator);
      writeFileSync(join(bin, name), coordinator.socket);
      for (const session of ['both', `of-${name}`]) {
        const publication = await coordinator.local.publish({ name: session, by: 'test' });
        await publication.write(Buffer.from(`needle in ${session} of ${name}\r\n`));
      }
    }
    const path = `${bin}:${process.env['PATH']}`;
    // For the verbs that run in this process.
    vi.stubEnv('PATH', path);
    onFileEnd(() => void vi.unstubAllEnvs());
  });

  beforeEach(() => {
    place = new Place();
    run('web-1', 'web-2', 'db');
  });

  it('are coordinators with their names, in everything that spans all', async () => {
    await place.ok('config', 'add', 'docker://web-*');
    expect(await place.ok('config', 'ls')).toBe('docker://web-*\n');
    const { coordinators } = await place.json('config', 'resolve');
    expect(coordinators.slice(1)).toEqual([
      { name: 'web-1', socket: 'docker://web-1', pattern: 'docker://web-*' },
      { name: 'web-2', socket: 'docker://web-2', pattern: 'docker://web-*' },
    ]);
    const all = ['web-1:both', 'web-1:of-web-1', 'web-2:both', 'web-2:of-web-2'];
    const addressOf = ({ coordinator, name }: Record<string, string>) => `${coordinator}:${name}`;
    expect((await place.json('ls')).sessions.map(addressOf)).toEqual(all);
    const connections = () => calls('docker').match(/^exec /gm)?.length ?? 0;
    const first = connections();
    await place.ok('ls');
    const second = connections();
    const lines = (await place.ok('grep', '--all', 'needle')).trim().split('\n');
    expect(lines).toHaveLength(all.length);
    // As many as the list has made, and one to each for all searches.
    expect(connections() - second).toBe(second - first + 2);
    expect(await place.ok('screen', 'web-2:both')).toContain('of web-2');
    expect(await place.ok('screen', 'of-web-1')).toContain('of web-1');
    const ambiguous = await place.result(['screen', 'both']);
    expect(ambiguous.stderr).toContain('\n  web-1:both\n  web-2:both\n');
    const waited = await place.ok('wait', '*', 'both of web-2', '--any', '--since', 'start');
    expect(waited).toBe('web-2:both\nneedle in both of web-2\n');
    const person = await PersonTerminal.run(place, ['ui'], { cols: 100, rows: 24 });
    await person.shows('web-1:both', 'web-2:of-web-2');
    await person.keys('q');
    expect(await person.ended()).toMatchObject({ code: 0 });
  });

  it('are all meant by --coordinator, and named where one is needed', async () => {
    const web = ['--coordinator', 'docker://web-*'];
    expect((await place.json('ls', ...web)).sessions).toHaveLength(4);
    expect(await place.ok('screen', 'of-web-2', ...web)).toContain('of web-2');
    const refused = await place.result(['spawn', 'new', ...web, '--', 'cat']);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('selects 2 containers; choose one:\n  docker://web-1\n  dock');
    const ambiguous = await place.result(['screen', 'both', ...web]);
    expect(ambiguous.stderr).toContain('\n  both --coordinator docker://web-1\n  both --coo');
    const none = await place.result(['ls', '--coordinator', 'docker://x-*']);
    expect(none).toMatchObject({
      status: 3,
      stderr: 'vtr: no running container matches docker://x-*\n',
    });
    await expect(connect({ address: 'docker://web-*' })).rejects.toThrow('selects 2 containers');
  });

  it('are one coordinator if there is one', async () => {
    run('web-2');
    await place.ok('spawn', 'new', '--coordinator', 'docker://label=app=web', '--', 'cat');
    expect((await localOf('web-2').list()).map(({ name }) => name)).toContain('new');
    expect(calls('docker')).toContain(
      'ps --filter status=running --filter label=app=web --format {{.Names}}\n',
    );
    const client = await connect({ address: 'kube://ci/app=web' });
    await client.remove('new', { force: true });
    await client.close();
    const called = calls('kubectl').trim().split('\n');
    expect(called.slice(0, 2)).toEqual([
      'get pods --namespace=ci --field-selector=status.phase=Running --selector=app=web --output=name',
      'exec -i --quiet --namespace=ci web-2 -- vtr connect',
    ]);
  });

  inBrowser('are on the web page, which says why some cannot be listed', async () => {
    const user = new Place(undefined, { PATH: process.env['PATH'] ?? '' });
    await user.ok('config', 'add', 'docker://web-*');
    await user.ok('config', 'add', 'podman://*');
    const { page, show, problems } = await openPage(user);
    const group = page.getByRole('region', { name: 'web-2' });
    await group.getByRole('link', { name: 'web-2:of-web-2' }).waitFor();
    await page.getByRole('region', { name: 'web-1' }).waitFor();
    const problem = page.locator('.problem');
    expect(await problem.allTextContents()).toEqual([
      'the containers of podman://* cannot be listed: cannot connect to Podman',
    ]);
    await show('#/s/web-1:both');
    await page.getByText('needle in both of web-1').waitFor();
    expect(problems).toEqual([]);
  });

  it('that cannot be listed, or do not answer, are named and hide no other', async () => {
    run('web-1', 'web-3');
    await place.ok('config', 'add', 'podman://*');
    await place.ok('config', 'add', 'docker://*');
    const { status, stdout, stderr } = await place.result(['ls', '--names']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'both\nof-web-1\n' });
    expect(stderr).toContain(
      'vtr: skipped: the containers of podman://* cannot be listed: cannot connect to Podman\n',
    );
    expect(stderr).toContain(
      'vtr: skipped: docker://web-3 cannot be reached: No such container: web-3\n',
    );
    // It may be one of those that are not known.
    const unknown = await place.result(['screen', 'gone:one']);
    expect(unknown).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('the containers of podman://* cannot be listed'),
    });
  });
});
