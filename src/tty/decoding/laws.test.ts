import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { encodeKey, encodeText, focusIn, focusOut } from '#keys';
import type { KeyModes, KeyPress } from '#model';
import { chunksOf } from '../../../test/support/chunks.ts';
import { keyModes } from '../../../test/support/keys/key-modes.ts';
import { arbitraryKeyEvent } from '../../../test/support/keys/key-presses.ts';
import { pressOf, readKeyVectors } from '../../../test/support/keys/key-vectors.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { visible } from '../../../test/support/vt/escaped-bytes.ts';
import { TtyDecoder } from './tty-decoder.ts';
import type { TtyEvent } from './tty-event.ts';

/** Modes in which a terminal can be while it is decoded. LNM is not one: it is reset on entering. */
const hostModes: fc.Arbitrary<KeyModes> = fc
  .record({
    applicationCursorKeys: fc.boolean(),
    applicationKeypad: fc.boolean(),
    backarrowSendsBackspace: fc.boolean(),
    modifyOtherKeys: fc.constantFrom<0 | 1 | 2>(0, 1, 2),
    formatOtherKeys: fc.constantFrom<0 | 1>(0, 1),
    kittyFlags: fc.oneof(fc.constant(0), fc.nat(31)),
  })
  .map(keyModes);

const decoderOf = (modes: KeyModes): TtyDecoder =>
  Object.assign(new TtyDecoder(), {
    kittyFlags: modes.kittyFlags,
    backspaceCode: modes.backarrowSendsBackspace ? 0x08 : 0x7f,
  });

function decoded(chunks: readonly Uint8Array[], modes = keyModes()): TtyEvent[] {
  const decoder = decoderOf(modes);
  const events = chunks.flatMap((chunk) => decoder.feed(chunk));
  return [...events, ...decoder.flush(5000)];
}

const pressesOf = (events: readonly TtyEvent[]): KeyPress[] =>
  events.map((event) => {
    if (event.type !== 'key') throw new Error(`${event.type} is no key`);
    return event.press;
  });

const encoded = (presses: readonly KeyPress[], modes: KeyModes): string =>
  visible(Buffer.concat(presses.map((press) => encodeKey(press, modes))));

const bytesOf = (events: readonly TtyEvent[]): string =>
  visible(
    Buffer.concat(events.map((event) => (event.type === 'key' ? event.bytes : new Uint8Array()))),
  );

/**
 * Modes in which keys of the keypad have legacy sequences that other keys do not: with
 * modifyOtherKeys, ESC 5 is alt with the 5 of the keypad, and alt+5 is reported.
 */
const hidesKeypad = ({ modifyOtherKeys, kittyFlags }: KeyModes): boolean =>
  kittyFlags === 0 ? modifyOtherKeys > 0 : (kittyFlags & 0b1001) === 0;

describe('what a key sends', () => {
  it('is keys that send the same, in every mode', () => {
    const property = fc.property(arbitraryKeyEvent, hostModes, (press, modes) => {
      fc.pre(!press.key.startsWith('kp_') || !hidesKeypad(modes));
      const bytes = encodeKey(press, modes);
      const events = decoded([bytes], modes);
      expect(bytesOf(events)).toBe(visible(bytes));
      expect(encoded(pressesOf(events), modes)).toBe(visible(bytes));
    });
    fc.assert(property, runs(500));
  });

  it('is that key for every program, if the terminal reports all of it', () => {
    const host = keyModes({ kittyFlags: 31 });
    const property = fc.property(arbitraryKeyEvent, hostModes, (press, modes) => {
      const presses = pressesOf(decoded([encodeKey(press, host)], host));
      expect(presses).toHaveLength(1);
      expect(encoded(presses, modes)).toBe(encoded([press], modes));
    });
    fc.assert(property, runs(500));
  });

  it('is that key, whatever is typed around it', () => {
    const events = fc.array(arbitraryKeyEvent, { maxLength: 8 });
    const property = fc.property(events, fc.constantFrom(1, 5, 7, 31), (presses, kittyFlags) => {
      const modes = keyModes({ kittyFlags });
      const sequences = presses.map((press) => encodeKey(press, modes));
      expect(decoded([Buffer.concat(sequences)], modes)).toEqual(
        sequences.flatMap((bytes) => decoded([bytes], modes)),
      );
    });
    fc.assert(property, runs(150));
  });
});

/** Everything that a terminal sends, and what it does not. */
const sentBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.tuple(arbitraryKeyEvent, hostModes).map(([press, modes]) => encodeKey(press, modes)),
  fc.string({ unit: 'grapheme' }).map((text) => encodeText(text, 'always', keyModes())),
  fc
    .constantFrom(focusIn, focusOut, '\x1b[<0;10;20M', '\x1b[M !!', '\x1b[35;10;20M')
    .map(encodeUtf8),
  fc
    .constantFrom(
      '\x1b[?62;22c',
      '\x1b[?2026;2$y',
      '\x1bP>|xterm(390)\x1b\\',
      '\x1b]11;rgb:0000/0000/0000\x07',
      '\x1b[200~',
      '\x1b[201~',
      '\x1b',
    )
    .map(encodeUtf8),
  fc.stringMatching(/^[\x1b[\]OP;:?<>$0-9MmuR~A-Cc\x07\\é\x00]{1,12}$/).map(encodeUtf8),
  fc.uint8Array({ maxLength: 8 }),
);

const stream = fc.array(sentBytes, { maxLength: 12 }).map((parts) => Buffer.concat(parts));

/** All bytes of events, where an event tells them. */
const contentOf = (events: readonly TtyEvent[]): string =>
  events
    .map((event) => {
      if (event.type === 'key' || event.type === 'bytes')
        return Buffer.from(event.bytes).toString('latin1');
      return event.type === 'reply' && event.reply.of === 'other'
        ? Buffer.from(event.reply.bytes).toString('latin1')
        : '';
    })
    .join('');

describe('what the mouse sends', () => {
  const vectors = readKeyVectors('mouse.txt').filter(({ bytes }) => bytes !== '');
  const encodings = new Map(Object.entries({ 1005: 'utf8', 1016: 'sgrPixels' } as const));

  it.each([...new Set(vectors.map(({ section }) => section))])('is that event in %s', (section) => {
    const [tracking = '', encoding = ''] = section.split(' ');
    for (const vector of vectors.filter((each) => each.section === section)) {
      const decoder = Object.assign(new TtyDecoder(), {
        mouseEncoding: encodings.get(encoding) ?? 'sgr',
        cellPixels: { width: 6, height: 13 },
      });
      const { button, place = '' } = vector.attributes;
      const [row, col] = place.split(',').map(Number);
      const isButtonKnown = /1006|1016/.test(encoding) || vector.key !== 'release';
      // X10 mode has no modifiers.
      const { key: _, ...modifiers } = tracking === '9' ? { key: '' } : pressOf(vector);
      expect(decoder.feed(Buffer.from(vector.bytes, 'latin1'))).toEqual([
        {
          type: 'mouse',
          mouse: {
            action: vector.key,
            ...(button && { button: isButtonKnown ? button : 'left' }),
            row,
            col,
            ...modifiers,
          },
        },
      ]);
    }
  });
});

describe('any bytes', () => {
  it('are the same events in any chunks', () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 20 });
    const property = fc.property(stream, hostModes, cuts, (bytes, modes, at) => {
      const whole = decoded([bytes], modes);
      expect(decoded(chunksOf(bytes, at), modes)).toEqual(whole);
      expect(decoded(chunksOf(bytes, [...bytes.keys()]), modes)).toEqual(whole);
    });
    fc.assert(property, runs(150));
  });

  it('are all in some event, and none is held back for long', () => {
    // Without pastes, whose text is decoded, and without known answers.
    const text =
      /\x1b\[200~|\x1b\[[?>]?[\d;]*[cnt]|\x1b\[\?[\d;]*(\$y|u)|\x1b\[[IO]|\x1b[P\]]|\x1b\[[\d;<]*[Mm]/;
    const property = fc.property(stream, hostModes, (bytes, modes) => {
      fc.pre(!text.test(bytes.toString('latin1')));
      const decoder = decoderOf(modes);
      expect(contentOf([...decoder.feed(bytes), ...decoder.flush(500)])).toBe(
        bytes.toString('latin1'),
      );
      expect(decoder.waitMs).toBeNull();
    });
    fc.assert(property, runs(150));
  });
});
