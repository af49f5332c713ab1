import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Announcer } from './announcer.ts';

function begin(first = '$ ') {
  const clock = new VirtualClock();
  const texts: string[] = [];
  const announcer = new Announcer({ clock, say: (text) => texts.push(text) });
  const terminal = new Terminal({ size: { cols: 40, rows: 10 } });
  const print = (text: string) => {
    terminal.feed(encodeUtf8(text));
    announcer.changed(terminal);
  };
  print(first);
  /** What is told within a time. */
  const after = (ms: number): string[] => {
    clock.advance(ms);
    return texts.splice(0);
  };
  return { announcer, print, after };
}

describe('[S3.32] what a screen reader is told', () => {
  it('is the new lines, once, when the output pauses', () => {
    const { print, after } = begin();
    expect(after(5000)).toEqual([]);
    print('ls\r\none\r\n');
    print('two\r\n$ ');
    expect(after(250)).toEqual(['ls\none\ntwo\n$']);
    expect(after(5000)).toEqual([]);
  });

  it('is the rest of a line that goes on', () => {
    const { print, after } = begin('Name: ');
    print('first');
    expect(after(250)).toEqual(['first']);
    print(' and more');
    expect(after(2000)).toEqual(['and more']);
  });

  it('is not what was typed, and nothing while that goes on', () => {
    const { announcer, print, after } = begin();
    const texts: string[] = [];
    for (const letter of 'make') {
      announcer.typed(letter);
      print(letter);
      texts.push(...after(400));
    }
    expect(texts).toEqual([]);
    expect(after(5000)).toEqual([]);
    announcer.typed('');
    print('\r\nall built\r\n$ ');
    expect(after(800)).toEqual(['all built\n$']);
  });

  it('is the end of much output, at most every 2 s', () => {
    const { print, after } = begin();
    const texts: string[] = [];
    for (let line = 1; line <= 100; line++) {
      print(`line ${line}\r\n`);
      texts.push(...after(100));
    }
    expect(texts.length).toBeLessThanOrEqual(6);
    expect(texts.at(-1)).toMatch(/^\d+ more lines, then:\nline \d+\n(line \d+\n?){5}$/);
  });

  it('is what follows when the screen was cleared', () => {
    const { print, after } = begin('one\r\ntwo\r\nthree\r\n');
    print('\x1b[H\x1b[2J\x1b[3Jfresh\r\n');
    expect(after(250)).toEqual(['fresh']);
  });

  it('of a full-screen program is the rows that changed, if they are few', () => {
    const { print, after } = begin();
    print('\x1b[?1049h\x1b[Hmenu\x1b[2;1Hone\x1b[3;1Htwo\x1b[4;1Hthree\x1b[2;1H');
    expect(after(250)).toEqual(['one']);
    print('\x1b[3;1H> two\x1b[3;1H');
    expect(after(2000)).toEqual(['> two']);
    print('\x1b[?1049l');
    expect(after(2000)).toEqual([]);
  });
});
