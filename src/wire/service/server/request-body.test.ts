import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { VtrError } from '#model';
import { RequestBudget } from './limits/request-budget.ts';
import { checkedBody, RequestBody } from './request-body.ts';

describe('request body', () => {
  it('what arrives of a request after its call has ended does not count', async () => {
    const bytes = 20_000;
    const budget = new RequestBudget({
      requestBytes: 100 * bytes,
      connectionRequestBytes: bytes,
      maxConnections: 1,
    });
    const connection = budget.connection();
    const hold = connection.hold();
    const request = new PassThrough();
    const body = new RequestBody(request, { budget: hold, bodyMs: 60_000, onComplete: () => {} });
    const next = body.next();
    body.fail(new VtrError('REQUEST_INCOMPLETE', 'too slow'));
    await expect(next).rejects.toThrow('too slow');
    hold.release();
    request.write(Buffer.alloc(bytes));
    await new Promise(setImmediate);
    expect(request.readableLength).toBe(0);
    expect(() => connection.hold().add(bytes)).not.toThrow();
  });
});

const request = {
  url: '/vtr.VTR/Subscribe',
  headers: { 'content-type': 'application/connect+json' },
} as unknown as IncomingMessage;

describe('a stream of JSON', () => {
  it('is copied a few times, however small its chunks are', async () => {
    const json = Buffer.from(JSON.stringify({ name: 'x'.repeat(100_000) }));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(json.length, 1);
    const body = Buffer.concat([head, json, head, json]);
    let copied = 0;
    const concat = vi.spyOn(Buffer, 'concat').mockImplementation((parts, length) => {
      const whole = Buffer.alloc(length ?? parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      copied += whole.length;
      return whole;
    });
    const chunks = (async function* () {
      for (let at = 0; at < body.length; at += 100) yield body.subarray(at, at + 100);
    })();
    const received: Uint8Array[] = [];
    for await (const chunk of checkedBody(chunks, request, '1.0.0')) received.push(chunk);
    concat.mockRestore();
    expect(Buffer.concat(received).equals(body)).toBe(true);
    expect(copied).toBeLessThan(3 * body.length);
  });
});
