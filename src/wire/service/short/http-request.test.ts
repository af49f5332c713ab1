import { describe, expect, it } from 'vitest';
import { parseAnswer } from './http-request.ts';

const answer = (...lines: readonly string[]) => parseAnswer(Buffer.from(lines.join('\r\n')));

describe('parseAnswer', () => {
  it('reads a body of known length', () => {
    expect(answer('HTTP/1.1 200 OK', 'Content-Length: 3', '', 'ä1')).toEqual({
      status: 200,
      body: 'ä1',
    });
  });

  it('joins chunks that split a character', () => {
    const bytes = Buffer.concat([
      Buffer.from('HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n2\r\na'),
      Buffer.from([0xc3]),
      Buffer.from('\r\nA\r\n'),
      Buffer.from([0xa4]),
      Buffer.from('123456789\r\n0\r\n\r\n'),
    ]);
    expect(parseAnswer(bytes)).toEqual({ status: 404, body: 'aä123456789' });
  });

  it('reads to the end when no length is given', () => {
    expect(answer('HTTP/1.0 200 OK', '', 'all')).toEqual({ status: 200, body: 'all' });
  });

  it.each([
    ['an empty answer', ''],
    ['a head without an end', 'HTTP/1.1 200 OK\r\n'],
    ['another protocol', 'SSH-2.0\r\n\r\n'],
    ['a truncated body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}'],
    ['a truncated chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{}'],
    ['a missing last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'],
  ])('returns null for %s', (_what, text) => {
    expect(parseAnswer(Buffer.from(text))).toBeNull();
  });
});
