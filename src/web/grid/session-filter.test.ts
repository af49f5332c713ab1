import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '#model';
import type { App, Placed } from '../page/app.ts';
import {
  parseFilter,
  placeWordOf,
  sessionsAt,
  sessionsWith,
  withMachine,
} from './session-filter.ts';

const me = { coordinator: 'default', machine: 'laptop', home: '/home/me' };
const appOf = (coordinator: string) => ({ coordinator, me }) as unknown as App;
const apps = ['', 'gpu1', 'gpu10', 'docker:web'].map(appOf);

const session = (app: App | undefined, name: string, cwd: string): Placed => ({
  app: app as App,
  info: { id: name, name, cwd, program: 'sh', args: [], title: '' } as unknown as SessionInfo,
});
const all = [
  session(apps[0], 'edit', '/home/me/api'),
  session(apps[0], 'build', '/home/me/api/web'),
  session(apps[0], 'notes', '/home/me/api2'),
  session(apps[1], 'train', '/data/my sets'),
  session(apps[2], 'test', '/data'),
  session(apps[3], 'serve', '/srv'),
];

/** The names of the sessions that a filter shows. */
const shown = (query: string) => {
  const filter = parseFilter(query);
  return sessionsWith(sessionsAt(all, filter, apps), filter.text)
    .map(({ info }) => info.name)
    .join(' ');
};

describe('[S3.32] a filter of sessions', () => {
  it.each([
    ['', [], [], ''],
    [' error  in ', [], [], 'error  in'],
    ['machine:gpu1 error', ['gpu1'], [], 'error'],
    ['error machine:gpu1', ['gpu1'], [], 'error'],
    ['machine:a machine:b dir:/x y', ['a', 'b'], ['/x'], 'y'],
    ['dir:"/my sets" x', [], ['/my sets'], 'x'],
    ['dir:"/my se', [], ['/my se'], ''],
    ['machine: x', [], [], 'x'],
    ['xmachine:a dirs:b', [], [], 'xmachine:a dirs:b'],
  ])('%j has places and text', (query, machines, directories, text) => {
    expect(parseFilter(query)).toEqual({ machines, directories, text });
  });

  it.each([
    ['machine:laptop', 'edit build notes'],
    ['machine:GPU1', 'train'],
    ['machine:gpu', 'train test'],
    ['machine:docker:web', 'serve'],
    ['machine:gpu1 machine:docker:web', 'train serve'],
    ['machine:none', ''],
    ['machine:laptop buil', 'build'],
    ['dir:/home/me/api', 'edit build'],
    ['dir:~/api/', 'edit build'],
    ['dir:~/ap', 'edit build notes'],
    ['dir:web', 'build'],
    ['dir:"/data/my sets"', 'train'],
    ['machine:gpu10 dir:/data', 'test'],
    ['dir:/', 'edit build notes train test serve'],
  ])('%j shows %j', (query, names) => {
    expect(shown(query)).toBe(names);
  });

  it('gets one machine in place of others, and keeps its other words', () => {
    expect(withMachine('', 'gpu1')).toBe('machine:gpu1');
    expect(withMachine('machine:a x machine:b dir:/y z', 'gpu1')).toBe('machine:gpu1 x dir:/y z');
    expect(withMachine('machine:a x', null)).toBe('x');
    expect(parseFilter(placeWordOf('dir', '/my sets')).directories).toEqual(['/my sets']);
  });
});
