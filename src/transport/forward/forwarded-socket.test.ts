import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAddress } from '#model';
import { tree } from '../../../test/support/tree.ts';
import { forgetForward, forwardedPath, forwardedSocket, stateOf } from './forwarded-socket.ts';

const user = () => ({ env: { HOME: tree() } });
const pathOf = (address: string, of = user()) => forwardedPath(parseAddress(address), of);

describe('the socket that ssh forwards', () => {
  it('is another one for each address', () => {
    const of = user();
    const addresses = [
      ...[
        'ssh://a',
        'ssh://b',
        'ssh://a@b',
        'ssh://b:22',
        'ssh://a@b:22',
        'ssh://b/s',
        'ssh://b/s/t',
      ],
      ...['ssh://a.b', 'ssh://b-22', 'ssh://b/22'],
    ];
    const paths = addresses.map((address) => pathOf(address, of));
    expect(paths).not.toContain(null);
    expect(new Set(paths).size).toBe(addresses.length);
  });

  it.each([
    ['docker://a'],
    ['exec:ssh a'],
    ['ssh://[::1]'],
    ['ssh://a/b+c'],
    ['ssh://a/b,c'],
    ['ssh://a/b%20c'],
    ['ssh://a/b:c'],
    [`ssh://${'a'.repeat(100)}`],
  ])('does not exist for %s, which cannot be its name', (address) => {
    expect(pathOf(address)).toBeNull();
  });

  it('is another one when the configuration of ssh has changed', () => {
    const of = user();
    const none = pathOf('ssh://a', of);
    const file = join(of.env.HOME, '.ssh/config');
    mkdirSync(dirname(file));
    writeFileSync(file, 'Host a');
    const first = pathOf('ssh://a', of);
    utimesSync(file, 1, 1);
    expect(new Set([none, first, pathOf('ssh://a', of)]).size).toBe(3);
  });

  it.each([
    ['Include more', 'more'],
    ['include = conf.d/*.conf', 'conf.d/x.conf'],
    ['Host b\n  Include ~/.ssh/other conf.d/x', 'conf.d/x'],
  ])('is another one when a file changes that is included by %j', (line, included) => {
    const of = user();
    const at = (name: string) => join(of.env.HOME, '.ssh', name);
    mkdirSync(at('conf.d'), { recursive: true });
    writeFileSync(at('config'), `${line}\n`);
    writeFileSync(at(included), 'Host a\n');
    const first = pathOf('ssh://a', of);
    expect(pathOf('ssh://a', of)).toBe(first);
    utimesSync(at(included), 1, 1);
    expect(pathOf('ssh://a', of)).not.toBe(first);
  });

  it.each(['Include */config', 'Include "a b"', 'Include %d/more'])(
    'does not exist where it is not known what ssh reads: %s',
    (line) => {
      const of = user();
      mkdirSync(join(of.env.HOME, '.ssh'));
      writeFileSync(join(of.env.HOME, '.ssh/config'), `${line}\n`);
      expect(pathOf('ssh://a', of)).toBeNull();
    },
  );

  it('does not fail a call whose socket cannot be removed, or whose configuration cannot be read', () => {
    const of = user();
    mkdirSync(join(of.env.HOME, '.ssh'));
    symlinkSync('config', join(of.env.HOME, '.ssh/config'));
    const path = pathOf('ssh://a', of) ?? '';
    expect(path).not.toBe('');
    // Its directory is missing: nothing can be written there.
    forgetForward(path, true);
    expect(stateOf(path)).toBe('none');
  });

  it('is used while it is a socket, and a file in its place says for ten minutes that none can be', async () => {
    const of = user();
    const path = pathOf('ssh://a', of) ?? '';
    mkdirSync(dirname(path), { recursive: true });
    expect([forwardedSocket('ssh://a', of), stateOf(path)]).toEqual([null, 'none']);
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    await expect.poll(() => forwardedSocket('ssh://a', of)).toBe(path);
    forgetForward(path, true);
    expect([forwardedSocket('ssh://a', of), stateOf(path)]).toEqual([null, 'refused']);
    const beforeS = Date.now() / 1_000 - 11 * 60;
    utimesSync(path, beforeS, beforeS);
    expect(stateOf(path)).toBe('none');
  });
});
