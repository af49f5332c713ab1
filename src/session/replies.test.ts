import { describe, expect, it } from 'vitest';
import { VtrError } from '#model';
import { FakePty } from '../../test/support/pty/fake-pty.ts';
import { Replies } from './replies.ts';

const kilobyte = Buffer.alloc(1024, 'r');

function begin() {
  const pty = new FakePty();
  pty.holdsWrites = true;
  return { pty, replies: new Replies(pty) };
}

/** The promises of the writes have run their course. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('replies', () => {
  it('are a write each', () => {
    const { pty, replies } = begin();
    replies.send(Buffer.from('one'));
    replies.send(null);
    replies.send(Buffer.from('two'));
    expect(pty.written).toEqual(['one', 'two']);
  });

  it('wait for the program up to 4 KiB; what comes then is dropped', () => {
    const { pty, replies } = begin();
    for (let count = 0; count < 1000; count++) replies.send(kilobyte);
    expect(pty.written).toHaveLength(4);
  });

  it.each([
    ['taken', null],
    ['refused', new VtrError('INPUT_BACKLOG', 'full')],
  ])('make room when they are %s', async (_what, failure) => {
    const { pty, replies } = begin();
    for (let count = 0; count < 10; count++) replies.send(kilobyte);
    pty.releaseWrites(failure);
    await settled();
    for (let count = 0; count < 10; count++) replies.send(kilobyte);
    expect(pty.written).toHaveLength(8);
  });

  it('to a program that has ended are nobody’s fault', async () => {
    const { pty, replies } = begin();
    pty.failure = new VtrError('SESSION_NOT_RUNNING', 'the program has ended');
    replies.send(kilobyte);
    await settled();
  });
});
