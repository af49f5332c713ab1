import { encode } from 'uqr';

/** Black on white: colours of the cube, which themes leave as they are. */
const ink = '\x1b[38;5;16;48;5;231m';
const plain = '\x1b[m';
/** The light modules around the code that readers need (ISO/IEC 18004, 9.1). */
const quietZone = 4;

/** What a character shows above and below, if set: nothing, the upper half, the lower half, both. */
const halves = [' ', '▀', '▄', '█'] as const;

/**
 * Returns a text as a QR code of half blocks, in lines of one character for two modules. With colours it is black on
 * white on any background; without, light modules are drawn, which is right on a dark one.
 *
 * @throws Error if the text has more than 2,953 bytes
 */
export function qrText(text: string, { hasColors }: { readonly hasColors: boolean }): string {
  const { data, size } = encode(text, { ecc: 'L', border: quietZone });
  const isDrawn = (row: number, col: number): boolean => {
    const isDark = data[row]?.[col] ?? false;
    return isDark === hasColors;
  };
  let lines = '';
  for (let row = 0; row < size; row += 2) {
    let line = '';
    for (let col = 0; col < size; col++) {
      line += halves[(isDrawn(row, col) ? 1 : 0) + (isDrawn(row + 1, col) ? 2 : 0)];
    }
    lines += hasColors ? `${ink}${line}${plain}\n` : `${line}\n`;
  }
  return lines;
}
