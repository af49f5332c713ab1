import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cell, Coordinator, Excerpt, ReadBudget } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { LocalCoordinator } from '../local-coordinator.ts';

const literal = 'corrècthorse日本battery';
const key = Array.from({ length: 5 }, (_, line) =>
  'Qm9ndXMta2V5/Zm9y+dGVzdHM'.repeat(3).slice(line, line + 64),
);

/** Texts with a secret: what is public before and after it, and the secret. */
const canaries: readonly (readonly [before: string, secret: string, after: string])[] = [
  ['AKIA', 'Q3EGTZ5XAMPLEKEY', ''],
  ['ghp_', '0123456789abcdefghijABCDEFGHIJ456789', ''],
  ['Authorization: Bearer ', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9m', ''],
  ['postgres://app:', 'tr0ub4dor&3', '@db.example/app'],
  ['DB_PASSWORD=', 'hunter2!', ''],
  ['', literal, ''],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\n', key.join('\n'), '\n-----END OPENSSH PRIVATE KEY-----'],
];

/** Text that looks like a secret at first. */
const harmless = [
  'git 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'id 123e4567-e89b-42d3-a456-426614174000',
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAA==',
  'total 0 日本語 é',
  'see http://localhost:8080/x?y=1',
  '-----BEGIN CERTIFICATE-----',
];

const wide = /[\u3000-\u9fff]/;
/** In place of a wide character, so that lines wrap at the same places. */
const wideMask = '＊';
/** Each character of a secret as one that is as wide. */
const masked = (secret: string): string =>
  Array.from(secret, (each) => (each === '\n' ? each : wide.test(each) ? wideMask : '•')).join('');
const unwide = (text: string): string => text.replaceAll(wideMask, '••');

type Piece = { readonly text: string; readonly hidden: string; readonly secrets: number };

const plain = (text: string): Piece => ({ text, hidden: text, secrets: 0 });
const planted = ([before, secret, after]: (typeof canaries)[number]): Piece => ({
  text: before + secret + after,
  hidden: before + masked(secret) + after,
  secrets: 1,
});

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...harmless).map(plain) },
  { weight: 3, arbitrary: fc.constantFrom(...canaries).map(planted) },
  fc.constantFrom('a', 'word', 'x'.repeat(37)).map(plain),
);

/** Lines that begin with blanks, so that they do not seem to continue a full row. */
const lines = fc.array(fc.array(piece, { maxLength: 3 }), { minLength: 1, maxLength: 12 });
const styles = fc.array(fc.constantFrom('\x1b[31m', '\x1b[1;44m', '\x1b[m'), { maxLength: 4 });
const alternate = '\x1b[?1049h\x1b[H';
const starts = fc.constantFrom('', alternate);

/** Writes pieces with colours at some places, which are the same for both texts. */
function written(
  rows: readonly (readonly Piece[])[],
  colours: readonly string[],
  from: 'text' | 'hidden',
) {
  let count = 0;
  const output = rows.map((row) =>
    row
      .map(({ text, hidden, secrets }) => {
        const shown = from === 'text' ? text : hidden;
        const at = secrets === 0 ? 2 : text.length - 3;
        count++;
        const colour = colours[count % Math.max(1, colours.length)] ?? '';
        // The same number of characters is at the end of both.
        const cut = from === 'text' ? at : shown.length - (text.length - at);
        return ` ${shown.slice(0, cut)}${colour}${shown.slice(cut)} `;
      })
      .join(' ')
      .replaceAll('\n', '\r\n'),
  );
  return output.join('\r\n');
}

/** Six characters of any secret. */
const leaked = new RegExp(
  canaries
    .flatMap(([, secret]) => [secret.slice(0, 6), secret.slice(-6)])
    .map((each) => each.replace(/[^\w]/g, '.'))
    .join('|'),
);

let coordinator: Coordinator;
beforeAll(() => {
  process.env['VTR_CANARY_TOKEN'] = literal;
  coordinator = new LocalCoordinator();
  delete process.env['VTR_CANARY_TOKEN'];
});
afterAll(() => coordinator.close());

/** Publishes output in some pieces. */
async function published(output: string, cols: number, cuts: readonly number[] = []) {
  // What left the alternate screen is not known any more.
  const rows = output.startsWith(alternate) ? 200 : 9;
  const publication = await coordinator.publish({ by: 'test', size: { cols, rows } });
  const bytes = Buffer.from(output);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  places.sort((a, b) => a - b);
  for (const [index, to] of places.slice(1).entries()) {
    await publication.write(bytes.subarray(places[index], to));
  }
  // A secret that is not complete would be one that goes on.
  await publication.exit({ code: 0, signal: null });
  return publication.session.name;
}

const cellsOf = (rows: readonly (readonly Cell[])[] = []) =>
  rows.map((row) =>
    row.map(({ text, style }, at) => {
      const isMask = text === wideMask || (text === '' && row[at - 1]?.text === wideMask);
      return [isMask ? '•' : text, style.fg, style.bold];
    }),
  );
const shownOf = ({ head, tail, omitted }: Excerpt) => [
  head,
  tail,
  omitted?.lines,
  omitted?.fromLine,
];

describe('what readers get', () => {
  it('has no secret, and all else as it was, whatever the width, wraps, colours, budgets', async () => {
    const budget = fc.record<ReadBudget>(
      {
        maxLines: fc.nat({ max: 9 }),
        maxBytes: fc.nat({ max: 300 }),
        maxTokens: fc.nat({ max: 90 }),
        keep: fc.constantFrom('head', 'tail', 'both'),
      },
      { requiredKeys: [] },
    );
    const cuts = fc.array(fc.nat({ max: 5000 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        lines,
        styles,
        starts,
        fc.integer({ min: 12, max: 90 }),
        budget,
        cuts,
        async (rows, colours, start, cols, limits, places) => {
          const name = await published(start + written(rows, colours, 'text'), cols, places);
          const oracle = await published(start + written(rows, colours, 'hidden'), cols);
          const redact = { redact: true };

          const screen = await coordinator.screen(name, redact);
          const expected = await coordinator.screen(oracle);
          expect(screen.text).toEqual(expected.text.map(unwide));
          const cells = await coordinator.screen(name, { ...redact, format: 'cells' });
          const oracleCells = await coordinator.screen(oracle, { format: 'cells' });
          expect(cellsOf(cells.cells)).toEqual(cellsOf(oracleCells.cells));
          const ansi = await coordinator.screen(name, { ...redact, format: 'ansi' });
          expect(ansi.text).toEqual(
            (await coordinator.screen(oracle, { format: 'ansi' })).text.map(unwide),
          );

          const read = await coordinator.readLines(name, redact);
          const oracleLines = await coordinator.readLines(oracle);
          expect(read.lines).toEqual(
            oracleLines.lines.map((line) => ({ ...line, text: unwide(line.text) })),
          );
          const secrets = rows.flat().reduce((sum, each) => sum + each.secrets, 0);
          if (start === '') expect(read.redacted).toBe(secrets);
          expect(screen.redacted).toBe(ansi.redacted);

          // A wide character and its two masks have not the same length.
          const isSame = !rows.flat().some(({ hidden }) => hidden.includes(wideMask));
          const part = await coordinator.read(name, { ...redact, ...limits });
          const oraclePart = await coordinator.read(oracle, limits);
          if (isSame) expect(shownOf(part.text)).toEqual(shownOf(oraclePart.text));
          const search = { pattern: '[^ ]+', before: 1, after: 1, maxMatches: 5 };
          const result = await coordinator.search(name, { ...redact, ...search });
          const oracleFound = await coordinator.search(oracle, search);
          if (isSame) expect(result.matches).toEqual(oracleFound.matches);
          expect(JSON.stringify([part, result])).not.toMatch(leaked);

          const raw = await coordinator.read(name, { ...redact, format: 'raw' });
          const oracleRaw = await coordinator.read(oracle, { format: 'raw' });
          const bytes = Buffer.from(raw.raw?.bytes ?? []).toString();
          const oracleBytes = Buffer.from(oracleRaw.raw?.bytes ?? []).toString();
          expect(bytes).toBe(oracleBytes.replaceAll(wideMask, '•'));
          const { maxBytes = 100, keep = 'tail' } = limits;
          const cut = await coordinator.read(name, {
            ...redact,
            format: 'raw' as const,
            maxBytes,
            keep: keep === 'both' ? 'tail' : keep,
          });
          const cutText = Buffer.from(cut.raw?.bytes ?? []).toString();
          expect(bytes).toContain(cutText.replace(/^\ufffd+|\ufffd+$/g, ''));

          await coordinator.remove(name);
          await coordinator.remove(oracle);
        },
      ),
      runs(30),
    );
  });

  it('has no secret that a program cuts at the last column, in lines as on the screen', async () => {
    const secret = 'AKIAQ3EGTZ5XAMPLEKEY';
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 19 }),
        fc.boolean(),
        fc.nat({ max: 30 }),
        async (first, isAbove, below) => {
          const cols = 40;
          const cut = secret.slice(0, first);
          const full = `${'x'.repeat(cols - first - 1)} ${cut}`;
          const rest = isAbove ? 'y\r\n'.repeat(below) : '';
          const name = await published(`a\r\n${full}\r\n${secret.slice(first)} z\r\n${rest}`, cols);
          const redact = { redact: true };
          const hidden = [
            `${full.slice(0, cols - first)}AKIA${'•'.repeat(first - 4)}`,
            `${'•'.repeat(20 - first)} z`,
          ];
          const { lines } = await coordinator.readLines(name, redact);
          expect(lines.slice(1, 3).map(({ text }) => text)).toEqual(hidden);
          // Each line alone, too.
          for (const [index, text] of hidden.entries()) {
            const from = 1 + index;
            const one = await coordinator.readLines(name, { ...redact, from, to: from + 1 });
            expect(one.lines.map((line) => line.text)).toEqual([text]);
          }
          const search = { ...redact, pattern: 'AKIA|z' };
          const { matches } = await coordinator.search(name, search);
          expect(matches.map(({ text }) => text)).toEqual(hidden);
          const part = { ...redact, maxLines: 1, keep: 'tail' as const };
          const { text } = await coordinator.read(name, below > 0 && isAbove ? redact : part);
          expect(`${text.head}${text.tail}`).not.toContain(secret.slice(first));
          await coordinator.remove(name);
        },
      ),
      runs(30),
    );
  });

  it('has a text that a line end leaves whole, and lines that are not full', async () => {
    const name = await published(`x AKIAQ3EG\r\nTZ5XAMPLEKEY z\r\n`, 11);
    const { lines } = await coordinator.readLines(name, { redact: true });
    expect(lines.map(({ text }) => text).slice(0, 2)).toEqual(['x AKIAQ3EG', 'TZ5XAMPLEKEY z']);
    await coordinator.remove(name);
  });
});
