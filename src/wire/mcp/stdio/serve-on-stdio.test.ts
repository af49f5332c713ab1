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

  it('is refused with its id if it is too long, wherever the id is', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const transport = new LineTransport(input, output);
    await transport.start();
    const answered = () => new Promise((resolve) => output.once('data', resolve));
    const text = 'x'.repeat(10 * 1024 * 1024);
    for (const [id, line] of [
      [7, `{"jsonrpc": "2.0", "id": 7, "method": "${text}"}`],
      [8, `{"method": "m", "params": {"id": 1, "text": "${text}"}, "jsonrpc": "2.0", "id": 8}`],
      [null, `"${text}"`],
    ]) {
      const answer = answered();
      input.write(`${line}\n`);
      expect(JSON.parse(String(await answer))).toMatchObject({ id, error: { code: -32600 } });
    }
    await transport.close();
  });
});
