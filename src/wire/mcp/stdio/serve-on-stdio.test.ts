import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LineTransport } from './serve-on-stdio.ts';

describe('a line of which something would be lost', () => {
  it('is refused with the offset of the byte, and the next one is read', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const heard: unknown[] = [];
    const transport = new LineTransport(input, output, {
      heard: (message) => heard.push(message),
    });
    await transport.start();
    const call = (id: number) => `{"jsonrpc": "2.0", "id": ${id}, "method": "`;
    const answered = () => new Promise((resolve) => output.once('data', resolve));
    const bytes = [Buffer.from(call(7)), Buffer.of(0xff), Buffer.from(`"}\n${call(8)}ping"}\n`)];
    input.write(Buffer.concat(bytes));
    const answer = JSON.parse(String(await answered()));
    const message = `the message is not UTF-8: byte FF at offset ${call(7).length}`;
    expect(answer).toMatchObject({ id: 7, error: { code: -32700, message } });
    expect(heard).toEqual([{ jsonrpc: '2.0', id: 8, method: 'ping' }]);
    input.write(`${call(9)}ping", "params": {"a": 1, "a": 2}}\n`);
    expect(JSON.parse(String(await answered()))).toMatchObject({
      id: 9,
      error: { code: -32600, message: 'params.a is given twice' },
    });
    expect(heard).toHaveLength(1);
    await transport.close();
  });
});
