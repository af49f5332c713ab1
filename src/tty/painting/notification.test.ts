import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defined } from '#base';
import { notificationCodes } from '#model';
import { Terminal } from '#vt';
import { type NotifiedText, notificationBytes } from './notification.ts';

/** The notifications that a terminal understands. */
function shown(bytes: string): NotifiedText[] {
  const terminal = new Terminal({ size: { cols: 20, rows: 3 } });
  terminal.feed(new TextEncoder().encode(bytes));
  expect(terminal.screenText().join('')).toBe('');
  return terminal.takeEvents().flatMap((event) => {
    if (event.type !== 'notification') throw new Error(`it is also a ${event.type}`);
    const { title, body, code } = event;
    return [{ title, body, ...defined({ code }) }];
  });
}

it.each([
  [{ title: '', body: 'done', code: 9 }, '\x1b]9;done\x1b\\'],
  // Not the progress of ConEmu.
  [{ title: '', body: '4;1;50', code: 9 }, '\x1b]9; 4;1;50\x1b\\'],
  [{ title: 'a;b', body: 'c;d', code: 777 }, '\x1b]777;notify;a,b;c;d\x1b\\'],
  [{ title: 'only', body: '', code: 99 }, '\x1b]99;i=7;only\x1b\\'],
  [{ title: 'a', body: 'b', code: 99 }, '\x1b]99;i=7:d=0;a\x1b\\\x1b]99;i=7:p=body;b\x1b\\'],
  // From an older coordinator.
  [{ title: 'a', body: 'b' }, '\x1b]777;notify;a;b\x1b\\'],
] as const)('the notification %j is %j', (notification, bytes) => {
  expect(notificationBytes(notification, '7')).toBe(bytes);
});

it('whatever a program wrote is one notification, and nothing else', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'\x1b]\x07\\;:9=\x9cé漢\n') }),
  );
  const text = fc.record({
    title: hostile,
    body: hostile,
    code: fc.constantFrom(...notificationCodes),
  });
  fc.assert(
    fc.property(text, (notification) => {
      const bytes = notificationBytes(notification, '7');
      expect(bytes.slice(2, -2)).not.toMatch(/[\0-\x1a\x1c-\x1f\x7f-\x9f]/);
      const all = shown(bytes);
      expect(all.length).toBeLessThanOrEqual(1);
      for (const { code } of all) expect(code).toBe(notification.code);
    }),
  );
});

it('a part is at most as long as kitty accepts', () => {
  const long = '漢'.repeat(9_000);
  const bytes = notificationBytes({ title: long, body: long, code: 99 }, '7');
  for (const part of bytes.split('\x1b\\')) expect(Buffer.byteLength(part)).toBeLessThan(2_100);
});
