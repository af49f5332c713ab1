import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { VtrError } from '#model';
import { RequestBudget } from './limits/request-budget.ts';
import { RequestBody } from './request-body.ts';

it('what arrives of a request after its call has ended does not count', async () => {
  const bytes = 20_000;
  const budget = new RequestBudget({
    ...{ requestBytes: 100 * bytes, connectionRequestBytes: bytes, maxConnections: 1 },
  });
  const connection = budget.connection();
  const held = connection.hold();
  const request = new PassThrough();
  const body = new RequestBody(request, { held, bodyMs: 60_000, onComplete: () => {} });
  const next = body.next();
  body.fail(new VtrError('REQUEST_INCOMPLETE', 'too slow'));
  await expect(next).rejects.toThrow('too slow');
  held.release();
  request.write(Buffer.alloc(bytes));
  await new Promise(setImmediate);
  expect(request.readableLength).toBe(0);
  expect(() => connection.hold().add(bytes)).not.toThrow();
});
