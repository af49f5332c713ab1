/** Large characters of five columns and rows, as tmux draws its clock and the numbers of panes. */
const shapes: Readonly<Record<string, string>> = {
  0: '11111 10001 10001 10001 11111',
  1: '00001 00001 00001 00001 00001',
  2: '11111 00001 11111 10000 11111',
  3: '11111 00001 11111 00001 11111',
  4: '10001 10001 11111 00001 00001',
  5: '11111 10000 11111 00001 11111',
  6: '11111 10000 11111 10001 11111',
  7: '11111 00001 00001 00001 00001',
  8: '11111 10001 11111 10001 11111',
  9: '11111 10001 11111 00001 11111',
  ':': '00000 00100 00000 00100 00000',
  A: '11111 10001 11111 10001 10001',
  P: '11111 10001 11111 10000 10000',
  M: '10001 11011 10101 10001 10001',
};

/** The cells of a large character that have a colour. */
export function digitCells(character: string): (readonly [row: number, col: number])[] {
  const rows = (shapes[character] ?? '').split(' ');
  return rows.flatMap((row, y) =>
    [...row].flatMap((cell, x) => (cell === '1' ? [[y, x] as const] : [])),
  );
}
