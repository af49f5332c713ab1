import { expect, it } from 'vitest';
import { Terminal } from '#vt';
import { stateOf, verify } from '#vt/checks';

/** C0 controls without an effect (ENQ, with an empty answerback), DEL, and such C1 controls. */
const controls = [
  ...[0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17],
  ...[0x19, 0x1c, 0x1d, 0x1e, 0x1f, 0x7f, 0x80, 0x81, 0x82, 0x83, 0x86, 0x87, 0x89, 0x8a, 0x8b],
  ...[0x8c, 0x91, 0x92, 0x93, 0x94, 0x95, 0x99],
];

it.each(controls.map((code) => [`U+${code.toString(16).padStart(4, '0')}`, code] as const))(
  'a control without effect does not show: %s',
  (_name, code) => {
    const terminal = new Terminal({ size: { cols: 20, rows: 2 } });
    terminal.feed(new TextEncoder().encode(`a${String.fromCharCode(code)}b`));
    expect(terminal.screenText()).toEqual(['ab', '']);
    expect([stateOf(terminal).cursor.row, terminal.takeReplies()]).toEqual([0, null]);
    expect(verify(terminal)).toEqual([]);
  },
);
