import { expect, it } from 'vitest';
import { oscOf } from './channels.ts';

it('a terminal is notified by an OSC 777 with a title that has no semicolon', () => {
  expect(oscOf({ title: 'a;b failed', text: 'x;y' })).toBe('\x1b]777;notify;a,b failed;x;y\x1b\\');
});
