import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitOf, servedBy } from '../support/command/running-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';

const canary = 'canary-4f1c';
const names = ['API_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'DB_PASSWORD'];
const secrets = names.map((name) => `${name}=${canary}-${name}`);

/** The files below a directory that contain the text. */
const filesWith = (directory: string, text: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((path) => join(directory, path))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));

describe('secrets in the environment of the daemon and of its clients', () => {
  it('reach no program, answer, log or file', async () => {
    const place = new Place();
    const environment = ['env', ...secrets];
    const daemon = await servedBy(place, [...environment, process.execPath, vtrFile, 'serve']);
    let log = '';
    daemon.stderr?.on('data', (text) => {
      log += text;
    });
    const env = Object.fromEntries(secrets.map((each) => each.split('=') as [string, string]));
    const script = "env | grep -c canary; env; echo 'all shown'; exec cat";
    const calls = [
      ['spawn', 'work', '--record', '--', 'sh', '-c', script],
      ['wait', 'work', 'all shown', '--since', 'start'],
      ...[
        ['read', 'work'],
        ['info', 'work', '--json'],
        ['ls', '--json'],
        ['serve', '--status'],
      ],
      ...[['doctor'], ['commands', 'work'], ['send', 'work', 'typed\n'], ['rm', 'work', '--force']],
    ];
    const said: string[] = [];
    for (const words of calls) {
      const { stdout, stderr } = await place.vtr(words, { env });
      said.push(stdout, stderr);
    }
    expect(said.join('\n')).toContain('all shown');
    daemon.kill('SIGTERM');
    await exitOf(daemon);
    expect(`${said.join('\n')}\n${log}`).not.toContain(`${canary}-`);
    const paths = [place.directory, place.state].flatMap((path) => filesWith(path, `${canary}-`));
    expect(paths).toEqual([]);
  });
});
