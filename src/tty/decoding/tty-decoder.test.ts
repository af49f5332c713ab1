import { describe, expect, it } from 'vitest';
import { unescaped } from '../../../test/support/vt/escaped-bytes.ts';
import { TtyDecoder } from './tty-decoder.ts';
import type { TtyEvent } from './tty-event.ts';

const bytesOf = (text: string) => Uint8Array.from(unescaped(text), (char) => char.charCodeAt(0));

/** One word for each event. */
function wordOf(event: TtyEvent): string {
  switch (event.type) {
    case 'key': {
      const { key, action, shiftedKey = '', baseLayoutKey = '', ...modifiers } = event.press;
      const name = [...Object.keys(modifiers), key === ' ' ? 'space' : key].join('+');
      return [name, shiftedKey, baseLayoutKey, action ?? ''].join(':').replace(/:+$/, '');
    }
    case 'bytes':
      return `bytes:${event.bytes.length}`;
    case 'reply':
      return Object.values(event.reply)
        .map((value) => (value instanceof Uint8Array ? value.length : JSON.stringify(value)))
        .join(':')
        .replaceAll('"', '');
    case 'mouse': {
      const { action, button, row, col, ...modifiers } = event.mouse;
      return [action, ...(button ? [button] : []), ...Object.keys(modifiers), row, col].join('-');
    }
    default:
      return Object.values(event)
        .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
        .join(':');
  }
}

function decoded(text: string, set: Partial<TtyDecoder> = {}): string {
  const decoder = Object.assign(new TtyDecoder(), set);
  const events = decoder.feed(bytesOf(text));
  return [...events, ...decoder.flush(5000)].map(wordOf).join(' ');
}

describe('what a terminal sends', () => {
  // From ctlseqs, the manuals of rxvt, the Linux console and PuTTY.
  it.each([
    // Text and controls
    ['a\\xc3\\xa9Z\\s', 'a é Z space'],
    [
      '\\x00\\x01\\x08\\t\\n\\r\\x1a\\x1c\\x1f\\x7f',
      'ctrl+space ctrl+a ctrl+h tab ctrl+j enter ctrl+z ctrl+\\ ctrl+_ backspace',
    ],
    [
      '\\ea\\eA\\e\\xc3\\xa9\\e\\x01\\e\\r\\e\\x7f',
      'alt+a alt+A alt+é ctrl+alt+a alt+enter alt+backspace',
    ],
    ['\\xff\\xc3(\\xed\\xa0\\x80', 'bytes:1 bytes:1 ( bytes:1 bytes:1 bytes:1'],
    ['\\xc2\\x9b', 'bytes:2'],
    // Function keys
    ['\\e[A\\eOA\\e[1;5A\\e[1;2H\\eOF', 'up up ctrl+up shift+home end'],
    ['\\eOP\\e[1;3R\\e[15~\\e[24;6~\\e[29~\\e[Z', 'f1 alt+f3 f5 ctrl+shift+f12 menu shift+tab'],
    ['\\e[1~\\e[4~\\e[7~\\e[8~\\e[11~\\e[14~', 'home end home end f1 f4'],
    [
      '\\e[a\\eOa\\e[3$\\e[3^\\e[3@\\e[23$',
      'shift+up ctrl+up shift+delete ctrl+delete ctrl+shift+delete shift+f11',
    ],
    ['\\e[[A\\e[[E\\e[25~', 'f1 f5 f13'],
    ['\\eOM\\eOj\\eO5k\\eOp\\eO\\s', 'kp_enter kp_multiply ctrl+kp_add kp_0 space'],
    ['\\e[5A\\eO5P\\eO1;2Q\\e[1;5I', 'ctrl+up ctrl+f1 shift+f2 ctrl+tab'],
    // ESC before a sequence, and what only begins like one
    ['\\e\\e[A\\e\\eOB\\e\\e[3~', 'alt+up alt+down alt+delete'],
    ['\\e\\e\\ea', 'escape escape alt+a'],
    [
      '\\e[\\r\\eO\\x01\\e]x\\ePq\\e_a\\e^\\eX',
      'alt+[ enter alt+O ctrl+a alt+] x alt+P q alt+_ a alt+^ alt+X',
    ],
    ['\\eOz\\eO5!\\e\\eO\\r', 'alt+O z alt+O 5 ! escape alt+O enter'],
    ['\\e[1;\\e[B\\e[1\\xc3\\xa9', 'bytes:4 down bytes:3 é'],
    ['\\e[5;5;5y\\e[>1;5z\\e[44;7~', 'bytes:8 other:7 ctrl+alt+f23'],
    // xterm's modifyOtherKeys
    [
      '\\e[27;5;105~\\e[27;6;65~\\e[27;6;33~\\e[27;5;9~',
      'ctrl+i ctrl+shift+a ctrl+shift+1 ctrl+tab',
    ],
    ['\\e[27;6;47~\\e[27;6;201~\\e[27;2;65~', 'ctrl+shift+/:/ ctrl+shift+é shift+a'],
    ['\\e[105;5u\\e[13;2u\\e[32;9u\\e[8;7u', 'ctrl+i shift+enter meta+space ctrl+alt+backspace'],
    // Paste, focus, mouse
    ['\\e[200~a\\e[A\\rb\\e[201~c\\e[201~', 'paste:a\x1b[A\rb c other:6'],
    ['\\e[1;129R\\e[1;257R', 'f3 other:8'],
    ['\\e[I\\e[O\\e[48;24;80;480;800t', 'focus:true focus:false size:{"rows":24,"cols":80}'],
    ['\\e[48;0;0;0;0t\\e[48;24;1001;0;0t', 'other:13 other:17'],
    [
      '\\e[<0;3;4M\\e[<2;3;4m\\e[<35;1;1M\\e[<52;9;1M',
      'press-left-3-2 release-right-3-2 move-none-0-0 move-left-shift-ctrl-0-8',
    ],
    [
      '\\e[<64;1;2M\\e[<73;1;2M\\e[<67;1;2M\\e[<128;1;2M\\e[<130;1;1M',
      'scrollUp-1-0 scrollDown-alt-1-0 scrollRight-1-0 press-back-1-0 other:11',
    ],
    [
      '\\e[M"!$\\e[M#!$\\e[MC!!\\e[M`!!',
      'press-right-3-0 release-right-3-0 move-none-0-0 scrollUp-0-0',
    ],
    ['\\e[34;1;4M\\e[35;1;4M\\e[96;300;1M', 'press-right-3-0 release-right-3-0 scrollUp-0-299'],
    // Answers
    [
      '\\e[?62;22c\\e[>41;390;0c\\eP!|464F4F\\e\\\\',
      'attributes:[62,22] secondaryAttributes:[41,390,0] unit:464F4F',
    ],
    [
      '\\eP>|xterm(390)\\e\\\\\\e[?2026;2$y\\e[?5u\\e[4;1$y',
      'version:xterm(390) mode:2026:2 kittyFlags:5 other:7',
    ],
    [
      '\\e]11;rgb:ffff/8080/0000\\e\\\\\\e]10;#fff\\x07\\e]12;rgba:1/2/3/f\\x07',
      'color:11:16744448 color:10:16777215 color:12:1122867',
    ],
    [
      '\\e]4;1;rgb:ff/00/00;2;rgb:00/ff/00\\x07\\e]4;x\\x07',
      'paletteColor:1:16711680 paletteColor:2:65280 other:6',
    ],
    [
      '\\eP1+r524742=38;5463\\e\\\\\\eP0+r5463\\e\\\\',
      'capability:RGB:8 capability:Tc: capability:Tc:null',
    ],
    [
      '\\e[6;20;10t\\e[4;480;800t\\e[8;24;80t\\e[9;1;2t',
      'cellPixels:10:20 areaPixels:800:480 areaSize:{rows:24,cols:80} other:8',
    ],
    [
      '\\e[?997;1n\\e[?997;2n\\e[0n\\e[12;40R\\e[?1;2;3R',
      'scheme:true scheme:false status:0 other:8 other:9',
    ],
    ['\\e]l title\\e\\\\\\e_Gi=1;OK\\e\\\\\\eP1$r0m\\e\\\\', 'other:11 other:11 other:9'],
    ['\\e]11;rgb:ff\\e[A\\e]1', 'other:11 up alt+] 1'],
  ])('%s is %s', (text, words) => {
    expect(decoded(text)).toBe(words);
  });

  it.each([
    ['\\e[97;5u\\e[97:65;2u\\e[97;69:3u\\e[97;1:2u', 'ctrl+a shift+a ctrl+a:::release a:::repeat'],
    [
      '\\e[1;1:3A\\e[13;5:2~\\e[3;9~\\e[57376u\\e[57399;;48u',
      'up:::release ctrl+f3:::repeat super+delete f13 kp_0',
    ],
    ['\\e[0;;229u\\e[0;;97:98u\\e[97;;229u\\e[55:47;2;47u', 'å a b å shift+7:/'],
    [
      '\\e[97;65;65u\\e[57441;2:3u\\e[57600u\\e[1;9A',
      'A shift+left_shift:::release bytes:8 super+up',
    ],
  ])('%s is %s in the kitty protocol', (text, words) => {
    expect(decoded(text, { kittyFlags: 31 })).toBe(words);
  });

  it('is BS for backspace if the terminal says so', () => {
    expect(decoded('\\x08\\x7f\\e\\x08', { backspaceCode: 8 })).toBe(
      'backspace ctrl+backspace alt+backspace',
    );
  });

  it('has characters and pixels in reports of the mouse', () => {
    expect(decoded('\\e[M\\s\\xc4\\x80!', { mouseEncoding: 'utf8' })).toBe('press-left-0-223');
    const cellPixels = { width: 10, height: 20 };
    expect(decoded('\\e[<0;10;21M', { mouseEncoding: 'sgrPixels', cellPixels })).toBe(
      'press-left-1-0',
    );
  });
});

describe('an incomplete sequence', () => {
  it.each([
    ['\\e', 25, 'escape'],
    ['\\e\\e', 25, 'escape escape'],
    ['\\e[', 25, 'alt+['],
    ['\\eO', 25, 'alt+O'],
    ['\\e]', 25, 'alt+]'],
    ['\\e\\e[', 25, 'escape alt+['],
    ['\\e[1;', 500, 'bytes:4'],
    ['\\xe2\\x82', 500, 'bytes:2'],
    ['\\e[M!', 500, 'bytes:4'],
    ['\\e]11;rgb', 500, 'other:8'],
    ['\\eP>|x\\e', 500, 'other:5 escape'],
    ['\\e[200~ab\\e[20', 5000, 'paste:ab\x1b[20'],
  ])('%s waits %i ms and is %s', (text, waitMs, words) => {
    const decoder = new TtyDecoder();
    expect(decoder.feed(bytesOf(text))).toEqual([]);
    expect(decoder.waitMs).toBe(waitMs);
    expect(decoder.pending).toBe(waitMs === 25);
    expect(decoder.flush(waitMs - 1)).toEqual([]);
    expect(decoder.flush(waitMs).map(wordOf).join(' ')).toBe(words);
    expect(decoder.waitMs).toBeNull();
  });

  it('is no key while the terminal reports escape otherwise', () => {
    const decoder = Object.assign(new TtyDecoder(), { kittyFlags: 1 });
    decoder.feed(bytesOf('\\e'));
    expect(decoder.pending).toBe(false);
    expect(decoder.flush()).toEqual([]);
  });
});
