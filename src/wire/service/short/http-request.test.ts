import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pace } from '../client/pace.ts';
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

describe('the pace of an answer', () => {
  const late = vi.fn();

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
    late.mockReset();
  });
  afterEach(() => void vi.useRealTimers());

  /** Receives pieces of as many bytes, one after each time. */
  const pieces = (pace: Pace, count: number, bytes: number, everyMs: number) => {
    for (let at = 0; at < count; at++) {
      vi.advanceTimersByTime(everyMs);
      pace.received(bytes);
    }
  };

  it('ends drips soon after the grace', () => {
    const pace = new Pace(3_000, late);
    pieces(pace, 14, 6, 200);
    expect(late).not.toHaveBeenCalled();
    pieces(pace, 2, 6, 200);
    expect(late).toHaveBeenCalledOnce();
  });

  it('leaves a slow answer its time: 1.2 MB in 10 minutes', () => {
    const pace = new Pace(3_000, late);
    pieces(pace, 600, 2_000, 1_000);
    expect(late).not.toHaveBeenCalled();
    pace.end();
    vi.advanceTimersByTime(600_000);
    expect(late).not.toHaveBeenCalled();
  });

  it('leaves an answer that was quick a pause of 30 s, and no longer one', () => {
    const pace = new Pace(3_000, late);
    pieces(pace, 100, 64_000, 1);
    vi.advanceTimersByTime(29_999);
    expect(late).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(late).toHaveBeenCalledOnce();
  });
});
