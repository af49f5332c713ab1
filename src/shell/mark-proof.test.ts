import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarkEvent, MarkKind } from '#model';
import { runs } from '../../test/support/run/runs.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { Ledger } from './ledger.ts';
import { encrypted, markCode, proofOf, roundKeysOf } from './mark-proof.ts';

const key = '1b1a1918131211100b0a090803020100';
const roundKeys = roundKeysOf(key);

it('a number is encrypted as in the test vector of Speck64/128', () => {
  const block = encrypted([0x3b726574, 0x7475432d], roundKeys);
  expect(block).toEqual([0x8c6fa548, 0x454e028b]);
});

describe('the proof of a mark', () => {
  const verifies = (mark: MarkKind, nonce: string) => proofOf({ key })?.(mark, nonce) ?? null;

  it('is its number, encrypted with the key of the session', () => {
    expect(verifies('promptStart', markCode(2, roundKeys))).toBe(2);
    const [x = '', y = ''] = markCode(4, roundKeys).split('.');
    const others = [
      `${x}.${y}.2`,
      `${x}.${y}.6`,
      `${y}.${x}.4`,
      `${x}.${y}.4.4`,
      `${x}.${y}.`,
      '4',
      '',
    ];
    expect(others.map((nonce) => verifies('promptStart', nonce))).toEqual(others.map(() => null));
    expect(verifies('promptStart', markCode(4, roundKeysOf(`0${key.slice(1)}`)))).toBeNull();
    expect(verifies('promptStart', `${x}.${y}.${2 ** 32 + 4}`)).toBeNull();
  });

  it('is odd for the beginning of a command, and even for all others', () => {
    const kinds = [
      'promptStart',
      'promptEnd',
      'commandStart',
      'commandEnd',
      'commandLine',
    ] as const;
    const valid = (number: number) =>
      kinds.filter((kind) => verifies(kind, markCode(number, roundKeys)) === number);
    expect(valid(6)).toEqual(['promptStart', 'promptEnd', 'commandEnd']);
    expect(valid(7)).toEqual(['commandStart']);
  });
});

describe('[law] a command that prints any marks that it has seen, in any order', () => {
  type Printed = Pick<MarkEvent, 'mark' | 'nonce'>;

  class Shell {
    readonly ledger = new Ledger({ clock: new VirtualClock(), key });
    /** Everything that was printed. */
    readonly output: Printed[] = [];
    #offset = 0;

    print(mark: MarkKind, nonce: string, more: Partial<MarkEvent> = {}): void {
      this.output.push({ mark, nonce });
      const position = { offset: ++this.#offset, line: this.#offset, col: 0 };
      this.ledger.mark({ type: 'mark', mark, nonce, ...more, revision: 1, atMs: 0, position });
    }

    prompt(turn: number): void {
      for (const mark of ['promptStart', 'promptEnd'] as const)
        this.print(mark, markCode(turn, roundKeys));
    }

    begin(turn: number): void {
      this.print('commandStart', markCode(turn + 1, roundKeys), { commandLine: `line ${turn}` });
    }

    end(turn: number): void {
      this.print('commandEnd', markCode(turn + 2, roundKeys), { exitCode: turn });
    }
  }

  const kinds = fc.constantFrom<MarkKind>(
    'promptStart',
    'promptEnd',
    'commandStart',
    'commandEnd',
    'commandLine',
  );
  /** A kind, which of the marks seen has its nonce, and what is added to the number in it. */
  const forged = fc.tuple(kinds, fc.nat(), fc.integer({ min: -2, max: 4 }));

  it('changes nothing that the ledger says', () => {
    const property = fc.property(
      fc.array(fc.array(forged, { maxLength: 12 }), { minLength: 1, maxLength: 6 }),
      (commands) => {
        const shell = new Shell();
        for (const [index, marks] of commands.entries()) {
          const turn = 2 * (index + 1);
          shell.prompt(turn);
          shell.begin(turn);
          for (const [mark, which, more] of marks) {
            const { nonce = '' } = shell.output[which % shell.output.length] ?? {};
            const changed = nonce.replace(/\d+$/, (number) => String(Number(number) + more));
            shell.print(mark, changed, { exitCode: 99, commandLine: 'forged' });
            expect(shell.ledger.running).toMatchObject({ line: `line ${turn}`, number: index + 1 });
          }
          shell.end(turn);
        }
        const ended = commands.map((_, index) => [`line ${2 * index + 2}`, 2 * index + 2]);
        const { commands: listed, integration } = shell.ledger.list();
        expect(integration).toBe('integrated');
        expect(listed.map(({ line, exitCode }) => [line, exitCode])).toEqual(ended);
      },
    );
    fc.assert(property, runs(200));
  });
});
