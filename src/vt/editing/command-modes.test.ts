import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { inspect, stateOf } from '#vt/checks';

const begin = '\x1b]133;C;cmdline=app\x07';
const end = (status: number) => `\x1b]133;D;${status}\x07`;
const prompt = '\x1b]133;A\x07$ \x1b]133;B\x07';

function terminal(): Terminal {
  return new Terminal({ size: { cols: 20, rows: 6 } });
}
const modesOf = ({ inspect, ...rest }: Record<string, unknown>) => rest;
/** What a program can leave, apart from text. */
function settings(t: Terminal) {
  const { modes, keyboard, margins, onAlternate } = inspect(t);
  return modesOf({ modes, keyboard, margins, onAlternate });
}
const feed = (t: Terminal, text: string) => t.feed(encodeUtf8(text));

const left: Readonly<Record<string, string>> = {
  'the alternate screen': '\x1b[?1049h\x1b[3;3Htui',
  'the alternate screen without a saved cursor': '\x1b[?47h\x1b[3;3Htui',
  'reports of the mouse': '\x1b[?1003h\x1b[?1006h',
  'reports of focus': '\x1b[?1004h',
  'bracketed paste': '\x1b[?2004h',
  'a hidden cursor': '\x1b[?25l',
  'keyboard flags': '\x1b[>1u\x1b[>5u\x1b[=31u',
  'keyboard flags of the alternate screen': '\x1b[?1049h\x1b[>1u',
  'popped keyboard flags': '\x1b[<9u',
  modifyOtherKeys: '\x1b[>4;2m\x1b[>4;1f',
  margins: '\x1b[2;4r\x1b[?69h\x1b[3;9s\x1b[3H',
  'cursor keys, keypad, insert, origin, autowrap': '\x1b[?1h\x1b=\x1b[4h\x1b[?6h\x1b[?7l\x1b[3H',
  'an open frame': '\x1b[?2026h\x1b[?1049h',
};

describe('at the end of a command', () => {
  it.each(Object.entries(left))('goes back: %s', (_what, output) => {
    for (const setUp of ['', '\x1b[?1h\x1b[>3u\x1b[>4;1m\x1b[?25l']) {
      for (const status of [0, 1, 137]) {
        const t = terminal();
        feed(t, `one\r\n$ app\r\n${setUp}`);
        const before = settings(t);
        feed(t, `${begin}${output}`);
        // Rebuilt from a dump, it continues in the same way.
        const copy = new Terminal({ size: t.size });
        copy.feed(t.dump());
        for (const each of [t, copy]) {
          feed(each, end(status));
          expect(settings(each)).toMatchObject({ ...before, modes: withSides(before, each) });
          expect([each.frameOpen, each.cursor.row]).toEqual([false, 2]);
        }
      }
    }
  });

  it('goes back what is left when the shell marks only its next prompt', () => {
    const t = terminal();
    feed(t, `${begin}\x1b[?1049h${prompt}`);
    expect([t.alternate, t.screenText()[0]]).toEqual([false, '$ '.trimEnd()]);
  });

  it('leaves what the shell set before, and what is set at the prompt', () => {
    const t = terminal();
    feed(t, `\x1b[=5u${prompt}\x1b[?2004h${begin}\x1b[?2004l${end(0)}${prompt}\x1b[?2004h`);
    expect(t.keyModes).toMatchObject({ bracketedPaste: true });
    feed(t, `\x1b[?1000h${end(0)}`);
    expect(t.viewModes.mouseTracking).toBe('normal');
  });

  it('keeps the modes of a stopped program until it continues', () => {
    for (const line of ['fg', ' fg %1', '%1']) {
      const t = terminal();
      feed(t, `${begin}\x1b[?1049h\x1b[?1003h\x1b[>1utui`);
      const running = settings(t);
      feed(t, end(148));
      expect([t.alternate, t.viewModes.mouseTracking]).toEqual([false, 'none']);
      feed(t, `${prompt}\x1b]133;C;cmdline=ls\x07${end(0)}${prompt}`);
      expect(t.alternate).toBe(false);
      feed(t, `\x1b]133;C;cmdline_url=${encodeURIComponent(line)}\x07`);
      expect(settings(t)).toEqual(running);
      expect(t.screenText()[0]).toBe('tui');
    }
  });
});

/** DECLRMM itself stays: without margins it changes nothing. */
function withSides(before: ReturnType<typeof settings>, t: Terminal): object {
  const { sideMargins } = stateOf(t).modes;
  return { ...(before['modes'] as object), sideMargins };
}
