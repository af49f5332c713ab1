import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#base';
import { completeFacts, decodeFacts, encodeFacts } from '#session';
import type { ShellProof } from '#shell';
import { fakeSession } from '../../../test/support/session/fake-session.ts';

const facts = completeFacts({
  name: 'build',
  id: 'id1',
  program: 'make',
  path: '/usr/bin/make',
  pid: 42,
  args: ['-j2'],
  cwd: '/src',
  createdAtMs: 1000,
  labels: { a: 'b' },
  lifetime: { idleMs: 5 },
  limits: { cpuPercent: 50 },
  lease: 'l1',
  spawnId: 's1',
  endedBy: { reason: 'memory' },
  exitedAtMs: 2000,
  exitStatus: { code: null, signal: 'SIGKILL' },
  title: 't',
  revision: 7,
  envNames: ['TOKEN'],
  shell: { nonce: 'n' },
  rawBytes: 4096,
  persist: false,
  term: 'xterm',
  coordinator: { order: 3, formerNames: ['old'], usedAtMs: 9 },
});

describe('the facts of a session', () => {
  it('are decoded as they were encoded', () => {
    expect(decodeFacts(encodeFacts(facts))).toEqual(facts);
  });

  it('are stored in a file without what proves the marks of the shell', () => {
    const stored = (shell: ShellProof) =>
      decodeFacts(
        fakeSession({ shell }, undefined, { isSaved: true }).session.saving?.storedFacts(
          facts.coordinator,
        ) ?? new Uint8Array(0),
      )?.shell;
    expect(stored({ key: '0'.repeat(32), keyFile: '/f' })).toBeUndefined();
    expect(stored({ nonce: 'n' })).toBeUndefined();
    expect(stored({ reason: 'it is turned off' })).toEqual({ reason: 'it is turned off' });
  });

  it('have defaults if another version saved fewer, and no unknown ones if it saved more', () => {
    const other = { name: 'build', id: 'id1', color: 'red', coordinator: { order: 3 } };
    expect(decodeFacts(encodeUtf8(JSON.stringify(other)))).toEqual({
      ...completeFacts({ name: 'build', id: 'id1' }),
      coordinator: { order: 3, formerNames: [], usedAtMs: null },
    });
  });

  it('of another type have defaults', () => {
    const other = {
      name: 'build',
      id: 'id1',
      args: 'x',
      size: null,
      title: 5,
      pid: 3,
      persist: 'no',
    };
    expect(decodeFacts(encodeUtf8(JSON.stringify(other)))).toEqual(
      completeFacts({ name: 'build', id: 'id1', pid: 3 }),
    );
  });

  it.each(['', '{', 'null', '[]', '{"name":"x"}', '{"id":"x","name":5}'])(
    'are null if damaged: %j',
    (text) => expect(decodeFacts(encodeUtf8(text))).toBeNull(),
  );

  it('are JSON', () => {
    expect(JSON.parse(decodeUtf8(encodeFacts(facts)))).toMatchObject({ name: 'build' });
  });
});
