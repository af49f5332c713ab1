import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import type { TextMatch } from '#model';
import { waitFor } from '#watch';
import { chunksOf } from '../../../test/support/chunks.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

type Piece = string | Uint8Array;

/** Returns the match of a wait in a terminal of 20x4 that shows `before`; null if it times out. */
async function findIn(pattern: string, pieces: readonly Piece[], before = '') {
  const clock = new VirtualClock();
  const watched = new WatchedTerminal();
  if (before !== '') watched.output(before);
  const result = waitFor(watched, { match: [pattern], timeoutMs: 1 }, clock);
  for (const piece of pieces) watched.output(piece);
  clock.advance(1);
  return (await result).match ?? null;
}

const matchOf = (matched: string, text = matched, line: number | null = 0): TextMatch => ({
  line,
  text,
  matched,
  groups: [],
});

describe('a wait for text', () => {
  it.each<[string, string, readonly Piece[], TextMatch]>([
    ['a whole line', '^ready$', ['ready\r\n'], matchOf('ready')],
    ['an unfinished line', 'pass.*:', ['password: '], matchOf('password:', 'password: ')],
    ['a line further down', 'b', ['a\r\nb\r\n'], matchOf('b', 'b', 1)],
    [
      'text between escape sequences',
      'hello',
      ['he\x1b[31ml\x1b[0;1ml\x1b]2;t\x07o'],
      matchOf('hello'),
    ],
    ['text in pieces', 'hello', ['he', 'l', 'lo'], matchOf('hello')],
    ['a character in pieces', 'é', [Uint8Array.of(0xc3), Uint8Array.of(0xa9)], matchOf('é')],
    ['wide characters', '漢字', ['漢', '字'], matchOf('漢字')],
    [
      'a line that wraps',
      '^[a-z]{26}$',
      ['abcdefghijklm', 'nopqrstuvwxyz'],
      matchOf('abcdefghijklmnopqrstuvwxyz'),
    ],
    [
      'a wrapped line that has left the screen',
      'z{30}',
      [`${'z'.repeat(30)}\r\n\r\n\r\n\r\n\r\n`],
      matchOf('z'.repeat(30)),
    ],
    [
      'text that scrolled away in the same chunk',
      '^needle$',
      [`needle\r\n${'hay\r\n'.repeat(100)}`],
      matchOf('needle'),
    ],
    ['text after a carriage return', '100%', ['10%\r100%'], matchOf('100%')],
    [
      'text placed by the cursor',
      'over there',
      ['\x1b[2;3Hover there'],
      matchOf('over there', '  over there', 1),
    ],
    ['the alternate screen', 'menu', ['\x1b[?1049h\x1b[2;1Hmenu'], matchOf('menu', 'menu', null)],
  ])('finds %s', async (_what, pattern, pieces, match) => {
    expect(await findIn(pattern, pieces)).toEqual(match);
  });

  it.each<[string, string, string, readonly Piece[]]>([
    ['earlier text', 'old', 'old', ['\r\nnew']],
    ['earlier text on the same line', 'old', 'old', [' new']],
    ['earlier text on the alternate screen', 'old', '\x1b[?1049hold', ['\r\nnew']],
    ['part of a title', 'title', '', ['\x1b]2;title\x07text']],
    ['an unfinished title', 'gone', '', ['text\x1b]0;gone']],
    ['text that only moved', 'old', 'old\r\n', ['\x1b[1;1H\x1b[L', '\x1b[M', '\x1bM']],
    ['text next to erased text', '^old$', 'old text', ['\x1b[1;4H\x1b[K']],
    [
      'text uncovered by a return to the primary screen',
      'old',
      'old\x1b[?1049hmenu',
      ['\x1b[?1049l'],
    ],
  ])('does not find %s', async (_what, pattern, before, pieces) => {
    expect(await findIn(pattern, pieces, before)).toBeNull();
  });

  it('finds new text on an old line, with the text before it', async () => {
    expect(await findIn('\\$ make$', ['make'], '$ ')).toEqual(matchOf('$ make'));
    expect(await findIn('b', ['b'], 'a')).toEqual(matchOf('b', 'ab'));
    expect(await findIn('a', ['\rab'], 'ab')).toEqual(matchOf('a', 'ab'));
  });

  it('finds the same text when it is written again', async () => {
    expect(await findIn('tick', ['tick\r\n'], 'tick\r\n')).toEqual(matchOf('tick', 'tick', 1));
    expect(await findIn('tick', ['\rtick'], 'tick')).toEqual(matchOf('tick'));
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
        // The rest of the line may or may not have arrived.
        const inPieces = await findIn('needle', chunksOf(bytes, at));
        expect(inPieces?.line).toBe((await findIn('needle', [bytes]))?.line);
      },
    );
    await fc.assert(property, runs(300));
  });
});
