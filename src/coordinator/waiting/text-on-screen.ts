import type {
  Cell,
  InputReceipt,
  MouseInput,
  ScreenMatch,
  SendMouseResult,
  SendOptions,
} from '#model';
import type { Session } from '#session';
import { Pattern } from '#watch';

/** Finds a pattern in the rows of the screen that is shown. @throws VtrError INVALID_PATTERN */
function findOnScreen(session: Session, source: string): ScreenMatch[] {
  const pattern = new Pattern(source);
  const { cells = [] } = session.screen({ format: 'cells' });
  return cells.flatMap((row, index) => findInRow(pattern, row, index));
}

function findInRow(pattern: Pattern, cells: readonly Cell[], row: number): ScreenMatch[] {
  const ends: number[] = [];
  let text = '';
  for (const cell of cells) {
    text += cell.text;
    ends.push(text.length);
  }
  // The first cell that ends after an index of the text.
  const colOf = (index: number) => ends.findIndex((end) => end > index);
  return pattern.findAll(text.trimEnd()).flatMap(({ start, end }) => {
    if (start === end) return [];
    const col = colOf(start);
    const last = colOf(end - 1);
    const cols = last - col + (cells[last]?.width ?? 1);
    return [{ row, col, cols, text: text.slice(start, end) }];
  });
}

/** Sends events in the middle of the only match of a pattern; see `SendMouseOptions.on`. */
export async function sendMouseOn(
  session: Session,
  on: string,
  events: readonly MouseInput[],
  options: SendOptions,
): Promise<InputReceipt & Pick<SendMouseResult, 'matches'>> {
  session.checkAccepts(options);
  const kinds = events.map(({ row: _row, col: _col, ...event }) => event);
  const content = ['mouse', kinds, on];
  if (session.knowsInput(options.inputId)) {
    // A repeat sends nothing.
    return session.sendMouse(
      events.map((event) => ({ ...event, row: 0, col: 0 })),
      options,
      content,
    );
  }
  const matches = findOnScreen(session, on);
  const [match, other] = matches;
  if (match === undefined || other !== undefined) return { ignored: true, matches };
  const placed = events.map((event) => ({ ...event, ...middleOf(match) }));
  return { ...(await session.sendMouse(placed, options, content)), matches };
}

/** Returns the cell in the middle of a match. */
const middleOf = ({ row, col, cols }: ScreenMatch) => ({
  row,
  col: col + Math.floor((cols - 1) / 2),
});
