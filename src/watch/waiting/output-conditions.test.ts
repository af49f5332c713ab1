import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import type { TextMatch } from '#model';
import { waitFor } from '#watch';
import { runs } from '../../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

type Piece = string | Uint8Array;

/** What a wait finds in output of a terminal of 20x4 that shows `before`; null when it times out. */
async function findIn(pattern: string, pieces: readonly Piece[], before = '') {
  const clock = new VirtualClock();
  const watched = new WatchedTerminal();
  if (before !== '') watched.output(before);
  const result = waitFor(watched, { match: [pattern], timeoutMs: 1 }, clock);
  for (const piece of pieces) watched.output(piece);
  clock.advance(1);
  return (await result).match ?? null;
}

const found = (matched: string, text = matched, line: number | null = 0): TextMatch => ({
  line,
  text,
  matched,
  groups: [],
});

describe('a wait for text', () => {
  it.each<[string, string, readonly Piece[], TextMatch]>([
    ['a whole line', '^ready$', ['ready\r\n'], found('ready')],
    ['a line that is not ended', 'pass.*:', ['password: '], found('password:', 'password: ')],
    ['a line further down', 'b', ['a\r\nb\r\n'], found('b', 'b', 1)],
    [
      'text between escape sequences',
      'hello',
      ['he\x1b[31ml\x1b[0;1ml\x1b]2;t\x07o'],
      found('hello'),
    ],
    ['text in pieces', 'hello', ['he', 'l', 'lo'], found('hello')],
    ['a character in pieces', 'é', [Uint8Array.of(0xc3), Uint8Array.of(0xa9)], found('é')],
    ['wide characters', '漢字', ['漢', '字'], found('漢字')],
    [
      'a line that wraps',
      '^[a-z]{26}$',
      ['abcdefghijklm', 'nopqrstuvwxyz'],
      found('abcdefghijklmnopqrstuvwxyz'),
    ],
    [
      'a wrapped line that has left the screen',
      'z{30}',
      [`${'z'.repeat(30)}\r\n\r\n\r\n\r\n\r\n`],
      found('z'.repeat(30)),
    ],
    [
      'what scrolled away at once',
      '^needle$',
      [`needle\r\n${'hay\r\n'.repeat(100)}`],
      found('needle'),
    ],
    ['what a carriage return brings about', '100%', ['10%\r100%'], found('100%')],
    [
      'text placed by the cursor',
      'over there',
      ['\x1b[2;3Hover there'],
      found('over there', '  over there', 1),
    ],
    ['the alternate screen', 'menu', ['\x1b[?1049h\x1b[2;1Hmenu'], found('menu', 'menu', null)],
  ])('finds %s', async (_what, pattern, pieces, match) => {
    expect(await findIn(pattern, pieces)).toEqual(match);
  });

  it.each<[string, string, string, readonly Piece[]]>([
    ['what stood there before', 'old', 'old', ['\r\nnew']],
    ['what stood there before on the same line', 'old', 'old', [' new']],
    ['what stood before on the alternate screen', 'old', '\x1b[?1049hold', ['\r\nnew']],
    ['the part of a title', 'title', '', ['\x1b]2;title\x07text']],
    ['a title that does not end', 'gone', '', ['text\x1b]0;gone']],
    ['what was only moved', 'old', 'old\r\n', ['\x1b[1;1H\x1b[L', '\x1b[M', '\x1bM']],
    ['what was only erased around', '^old$', 'old text', ['\x1b[1;4H\x1b[K']],
    ['what a return to the primary screen uncovers', 'old', 'old\x1b[?1049hmenu', ['\x1b[?1049l']],
  ])('does not find %s', async (_what, pattern, before, pieces) => {
    expect(await findIn(pattern, pieces, before)).toBeNull();
  });

  it('finds new text on an old line, with the text before it', async () => {
    expect(await findIn('\\$ make$', ['make'], '$ ')).toEqual(found('$ make'));
    expect(await findIn('b', ['b'], 'a')).toEqual(found('b', 'ab'));
    expect(await findIn('a', ['\rab'], 'ab')).toEqual(found('a', 'ab'));
  });

  it('finds the same text when it is written again', async () => {
    expect(await findIn('tick', ['tick\r\n'], 'tick\r\n')).toEqual(found('tick', 'tick', 1));
    expect(await findIn('tick', ['\rtick'], 'tick')).toEqual(found('tick'));
  });

  it('finds the same for any chunking', async () => {
    const word = fc.constantFrom(
      'needle',
      'need',
      'le',
      'ä',
      '漢',
      '\x1b[31m',
      '\x1b[m',
      '\r\n',
      ' ',
    );
    const cuts = fc.array(fc.nat({ max: 80 }), { maxLength: 8 });
    const property = fc.asyncProperty(
      fc.array(word, { maxLength: 12 }),
      cuts,
      async (words, at) => {
        const bytes = encodeUtf8(words.join(''));
        const places = [...at.filter((place) => place < bytes.length)].sort((a, b) => a - b);
        const pieces = [0, ...places].map((from, index) =>
          bytes.subarray(from, places[index] ?? bytes.length),
        );
        // The rest of the line may have come or not.
        const inPieces = await findIn('needle', pieces);
        expect(inPieces?.line).toBe((await findIn('needle', [bytes]))?.line);
      },
    );
    await fc.assert(property, runs(300));
  });
});
