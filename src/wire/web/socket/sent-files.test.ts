import { expect, it } from 'vitest';
import { deferred } from '#base';
import { type JsonConnection, VtrError } from '#model';
import { SentFiles } from './sent-files.ts';

it('no more waits for the machine of a session than a page may send before an answer, twice', async () => {
  const answer = deferred();
  const unary = async () => {
    await answer.promise;
    throw new VtrError('SESSION_NOT_FOUND', 'session not found');
  };
  const calls = { unary, close() {} } as unknown as JsonConnection;
  const files = new SentFiles(calls);
  const about = { by: null, sessionId: null };
  const file = { sessionId: 'sess_1', name: 'a', bytes: 4_000_000 };
  const data = Buffer.alloc(900_000).toString('base64');
  const first = files.take({ id: 'a', file, data }, about);
  const second = files.take({ id: 'a', data }, about);
  const refused = expect(second).rejects.toThrow('too many bytes of the file wait');
  answer.resolve();
  await expect(first).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await refused;
});
