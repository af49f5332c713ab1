import type { IncomingMessage } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { checkedBody } from './exact-body.ts';

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
