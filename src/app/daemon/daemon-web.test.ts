import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Coordinator, JsonCalls } from '#model';
import { tree } from '../../../test/support/tree.ts';
import { DaemonWeb } from './daemon-web.ts';

it('a state that cannot be removed does not keep the daemon from ending', async () => {
  const socket = join(tree(), 'vtr.sock');
  mkdirSync(`${socket}.web`);
  const lines: string[] = [];
  const web = new DaemonWeb({
    themeFile: null,
    socket,
    user: { env: {} },
    coordinator: {} as Coordinator,
    calls: () => ({}) as JsonCalls,
    push: { isOffered: false, services: [] },
    log: (line) => lines.push(line),
    onRefused: () => {},
    onFile: () => {},
    onLogin: () => {},
    onPush: () => {},
    onFault: (error) => {
      throw error;
    },
  });
  await web.close(false);
  expect(lines).toEqual([expect.stringContaining(`${socket}.web cannot be removed`)]);
});
