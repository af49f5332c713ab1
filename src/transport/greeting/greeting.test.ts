import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VtrError } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { failureLine, GreetingReader, greetingLine } from './greeting.ts';

it('is found after what a shell prints, in any chunks, and nothing after it is lost', () => {
  const noise = fc.array(fc.constantFrom('welcome\n', 'vtr-connect {\n', 'vtr-connect\n', '# '));
  fc.assert(
    fc.property(noise, fc.uint8Array(), fc.array(fc.nat(40)), (before, after, cuts) => {
      const bytes = Buffer.concat([
        Buffer.from(`${before.join('')}${greetingLine('1.2.3', '/a/vtr.sock')}`),
        after,
      ]);
      const reader = new GreetingReader();
      let result: ReturnType<GreetingReader['push']> = null;
      const rest: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + (cuts.shift() ?? bytes.length) + 1;
        const chunk = bytes.subarray(at, end);
        if (result === null) result = reader.push(chunk);
        else rest.push(chunk);
        at = end;
      }
      if (result === null || result === 'none') throw new Error('no greeting');
      expect(result.greeting).toEqual({ version: '1.2.3', socket: '/a/vtr.sock' });
      expect(Buffer.concat([result.rest, ...rest])).toEqual(Buffer.from(after));
    }),
    runs(300),
  );
});

it('of an older version tells no socket', () => {
  const read = new GreetingReader().push(Buffer.from('vtr-connect {"version":"1.2.3"}\n'));
  expect(read).toMatchObject({ greeting: { version: '1.2.3' } });
});

it('says why there is no connection', () => {
  const line = failureLine(new VtrError('UNAVAILABLE', 'none', { details: { reason: 'ENOENT' } }));
  const read = new GreetingReader().push(Buffer.from(line));
  expect(read).toMatchObject({ greeting: { error: { message: 'none', reason: 'ENOENT' } } });
});

it('is given up after 64 KiB of something else', () => {
  const reader = new GreetingReader();
  expect(reader.push(Buffer.alloc(64 * 1024, 'x'))).toBeNull();
  expect(reader.push(Buffer.from('x'))).toBe('none');
});
