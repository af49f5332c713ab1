import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { encodeKey, keyNames, keyText } from '#keys';
import { initialViewModes, type KeyModes, type KeyPress, type ViewModes } from '#model';
import { keyModes } from '../../../test/support/keys/key-modes.ts';
import { pressOf, readKeyVectors } from '../../../test/support/keys/key-vectors.ts';
import { capabilitiesOf } from '../painting/capabilities.ts';
import { ttyModesFor } from '../painting/tty-modes.ts';
import { TtyDecoder } from './tty-decoder.ts';

/** The presses that are taken for others, by terminal: `key modifiers=other ...`. */
const ambiguous: ReadonlyMap<string, readonly string[]> = new Map(
  readFileSync(new URL('../../../test/golden/keys/ambiguous.txt', import.meta.url), 'utf8')
    .split(/^\[(?=.+\]$)/m)
    .slice(1)
    .map((section): [string, string[]] => {
      const [title = '', ...lines] = section.split('\n').filter((line) => !/^(# |$)/.test(line));
      return [title.slice(0, -1), lines];
    }),
);

function decodedKeys(bytes: Uint8Array, kittyFlags: number): KeyPress[] {
  const decoder = Object.assign(new TtyDecoder(), { kittyFlags });
  return [...decoder.feed(bytes), ...decoder.flush(5000)].map((event) => {
    if (event.type !== 'key') throw new Error(`${event.type} is no key`);
    return event.press;
  });
}

/** The keys that were pressed, without those that are held. */
const named = (presses: readonly KeyPress[]): string =>
  presses
    .filter(({ action, key }) => action !== 'release' && !/^(left|right)_/.test(key))
    .map(keyText)
    .join(',');

/** Lines as in the file, for presses with what they are taken for. */
function linesOf(wrong: readonly (readonly [key: string, modifiers: string, taken: string])[]) {
  const byKey = new Map<string, Set<string>>();
  for (const [key, modifiers, taken] of wrong) {
    const name = key === ' ' ? 'space' : key;
    byKey.set(name, (byKey.get(name) ?? new Set()).add(`${modifiers}=${taken}`));
  }
  return [...byKey].map(([key, fields]) => [key, ...fields].join(' '));
}

describe('the keys that terminals were recorded to send', () => {
  const vectors = readKeyVectors('terminals.txt');

  it.each([...new Set(vectors.map(({ section }) => section))])('are known of %s', (section) => {
    const kittyFlags = Number(/flags=(\d+)/.exec(section)?.[1] ?? 0);
    const rows = vectors.filter((vector) => vector.section === section);
    const wrong = rows.flatMap((row): [string, string, string][] => {
      const taken = named(decodedKeys(Buffer.from(row.bytes, 'latin1'), kittyFlags));
      const isRight = taken === keyText(pressOf(row));
      return isRight ? [] : [[row.key, row.modifiers, taken]];
    });
    expect(rows.length).toBeGreaterThan(200);
    expect(linesOf(wrong)).toEqual(ambiguous.get(section));
  });
});

const characters = [..." `1234567890-=[]\\;',./abcdefghijklmnopqrstuvwxyzé"];
const modifiers = ['-', 's', 'a', 'c', 'as', 'cs', 'ca', 'cas'];

/** All keys with all modifiers: more than 1200. */
const keys = [...characters, ...keyNames.filter((name) => name !== 'space')].flatMap((key) =>
  modifiers.map((letters) => ({ key, letters, press: pressOf({ key, modifiers: letters }) })),
);

const programs: readonly KeyModes[] = [
  {},
  { applicationCursorKeys: true, applicationKeypad: true },
  { backarrowSendsBackspace: true },
  { modifyOtherKeys: 1 } as const,
  { modifyOtherKeys: 2 } as const,
  { modifyOtherKeys: 2, formatOtherKeys: 1 } as const,
  ...[1, 3, 5, 7, 8, 15, 24, 31].map((kittyFlags) => ({ kittyFlags })),
].map((modes) => keyModes(modes));

const kitty = capabilitiesOf({ TERM: 'xterm-kitty' }, [{ of: 'kittyFlags', flags: 0 }]);

const viewModes = (modes: KeyModes): ViewModes => ({ ...initialViewModes, ...modes });

/** The modes of a person's terminal, which depend on those of the program. */
const hosts: Readonly<Record<string, (program: KeyModes) => KeyModes>> = {
  legacy: () => keyModes(),
  'modifyOtherKeys=2': () => keyModes({ modifyOtherKeys: 2 }),
  'kitty keyboard protocol': (program) => {
    const { kittyFlags } = ttyModesFor(viewModes(program), 'none', kitty);
    return keyModes({ kittyFlags });
  },
};

const sentTo = (program: KeyModes, presses: readonly KeyPress[]): string =>
  Buffer.concat(presses.map((press) => encodeKey(press, program))).toString('latin1');

describe('the keys of a person', () => {
  it.each(Object.entries(hosts))('reach every program from a terminal: %s', (section, hostOf) => {
    const wrong: [key: string, modifiers: string, taken: string][] = [];
    const silent = new Set<string>();
    for (const program of programs) {
      const host = hostOf(program);
      for (const { key, letters, press } of keys) {
        const bytes = encodeKey(press, host);
        const taken = decodedKeys(bytes, host.kittyFlags);
        if (isDeepStrictEqual(taken, [press])) continue;
        if (sentTo(program, taken) === sentTo(program, [press])) continue;
        if (bytes.length === 0) silent.add(key);
        else wrong.push([key, letters, named(taken)]);
      }
    }
    expect([...linesOf(wrong), `nothing: ${[...silent].join(' ')}`.trim()]).toEqual(
      ambiguous.get(section),
    );
  });
});
