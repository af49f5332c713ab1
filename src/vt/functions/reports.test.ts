import { expect, it } from 'vitest';
import { Terminal } from '#vt';

/** The value that XTGETTCAP reports; null if the capability is unknown. */
function reported(name: string): string | null {
  const terminal = new Terminal({ size: { cols: 80, rows: 24 } });
  terminal.feed(Buffer.from(`\x1bP+q${Buffer.from(name).toString('hex')}\x1b\\`));
  const reply = Buffer.from(terminal.takeReplies() ?? []).toString('latin1');
  const value = /^\x1bP1\+r[0-9A-F]+=([0-9A-F]+)\x1b\\$/.exec(reply)?.[1];
  return value === undefined ? null : Buffer.from(value, 'hex').toString('latin1');
}

// vim reads a paste by the strings reported for PS and PE.
it.each([
  ['PS', '\x1b[200~'],
  ['PE', '\x1b[201~'],
  ['BE', '\x1b[?2004h'],
  ['Se', '\x1b[2 q'],
  ['Co', '256'],
  ['ku', null],
])('XTGETTCAP reports %s with the bytes that are sent', (name, value) => {
  expect(reported(name)).toBe(value);
});
