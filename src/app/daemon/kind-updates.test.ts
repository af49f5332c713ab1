import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tree } from '../../../test/support/tree.ts';
import { readKindUpdates, takeKindUpdates } from './kind-updates.ts';

interface Entry {
  readonly path: string;
  readonly content?: string;
  /** As in the header of tar: 0 a file, 2 a symbolic link, 5 a directory, x records of pax. */
  readonly type?: string;
}

/** An entry of a tar archive (ustar). */
function entryOf({ path, content = '', type = '0' }: Entry): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write('0000644\0', 100);
  header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\0', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
  padded.write(content);
  return Buffer.concat([header, padded]);
}

const kind = 'name = "Robo"\nchecked_with = ["1.0.0"]\n';

function place() {
  const home = tree();
  const user = { env: { HOME: home, XDG_STATE_HOME: join(home, 'state') } };
  const archive = (...entries: readonly Entry[]) => {
    const file = join(home, 'kinds-1.0.0.tgz');
    writeFileSync(file, gzipSync(Buffer.concat([...entries.map(entryOf), Buffer.alloc(1024)])));
    return readKindUpdates(user, '0.0.0', file);
  };
  return { home, user, archive };
}

describe('an archive of npm pack', () => {
  it('has its files of kinds in the directory agents of the package', async () => {
    const { home, user, archive } = place();
    const updates = await archive(
      { path: 'package/', type: '5' },
      { path: 'package/package.json', content: '{}' },
      { path: 'package/agents/robo.toml', content: kind },
      { path: 'package/src/other.toml', content: 'wrong' },
    );
    expect(updates).toEqual([{ kind: 'robo', text: kind, changes: ['a new kind with 0 rules'] }]);
    takeKindUpdates(user, updates);
    expect(readdirSync(join(home, 'state/vtr/agents'))).toEqual(['robo.toml']);
  });

  it('may have long paths, in records of pax', async () => {
    const { archive } = place();
    const path = `package/agents/${'r'.repeat(60)}.toml`;
    const record = ` path=${path}\n`;
    const length = record.length + String(record.length + 2).length;
    const updates = await archive(
      { path: 'PaxHeader', type: 'x', content: `${length}${record}` },
      { path: 'package/agents/cut', content: kind },
    );
    expect(updates.map((each) => each.kind)).toEqual(['r'.repeat(60)]);
  });

  it.each<[string, Entry, RegExp]>([
    ['a path that leads up', { path: 'package/../../robo.toml', content: kind }, /leads outside/],
    ['an absolute path', { path: '/etc/robo.toml', content: kind }, /leads outside/],
    ['a symbolic link', { path: 'package/agents/robo.toml', type: '2' }, /a link or a device/],
    ['a hard link', { path: 'package/agents/robo.toml', type: '1' }, /a link or a device/],
    [
      'a name of no kind',
      { path: 'package/agents/Ro bo.toml', content: kind },
      /no name of a kind/,
    ],
    ['a wrong file', { path: 'package/agents/robo.toml', content: 'name = 1' }, /robo\.toml:1:8: /],
    ['no kind', { path: 'package/README.md', content: 'x' }, /has no files of kinds/],
  ])('is refused as a whole with %s', async (_, entry, why) => {
    const { archive } = place();
    const good = { path: 'package/agents/good.toml', content: kind };
    const others = entry.path.endsWith('README.md') ? [] : [good];
    await expect(archive(...others, entry)).rejects.toThrow(why);
  });

  it('is refused if it unpacks to too much, is cut off, or is something else', async () => {
    const { home, user } = place();
    const file = join(home, 'x.tgz');
    const contents: readonly [Buffer, RegExp][] = [
      [gzipSync(Buffer.alloc(40 * 1024 * 1024)), /cannot be unpacked within/],
      [
        gzipSync(entryOf({ path: 'package/agents/a.toml', content: kind }).subarray(0, 520)),
        /cut off/,
      ],
      [gzipSync(Buffer.alloc(1024, 'x')), /not an archive/],
      [Buffer.from('plain'), /cannot be unpacked/],
    ];
    for (const [content, why] of contents) {
      writeFileSync(file, content);
      await expect(readKindUpdates(user, '0.0.0', file)).rejects.toThrow(why);
    }
    mkdirSync(join(home, 'y.tgz'));
    await expect(readKindUpdates(user, '0.0.0', join(home, 'y.tgz'))).rejects.toThrow(
      'regular file',
    );
  });
});
