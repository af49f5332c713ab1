import * as z from 'zod/v4';
import {
  type Coordinator,
  type MouseInput,
  type SendMouseResult,
  type SendOptions,
  type SessionRef,
  VtrError,
} from '#model';

/**
 * Sent without text and keys; ctrl, alt and shift apply. A place is `row,col` from 0: as a list, it
 * would cost tokens.
 */
export const mouseField = z.strictObject({
  click: z.string().optional().describe('Text, or "row,col" from 0'),
  drag: z.array(z.string()).optional(),
  scroll: z.enum(['up', 'down', 'left', 'right']).optional(),
  at: z.string().optional(),
  times: z.int().optional(),
  button: z.enum(['left', 'middle', 'right']).optional(),
});

type MouseField = z.infer<typeof mouseField>;
type Held = Pick<MouseInput, 'ctrl' | 'alt' | 'shift'>;

/**
 * Sends what the field asks for.
 *
 * @throws VtrError INVALID_ARGUMENT if nothing was sent
 */
export async function sendMouse(
  coordinator: Coordinator,
  session: SessionRef,
  field: MouseField,
  held: Held,
  options: SendOptions,
): Promise<SendMouseResult> {
  const actions = [field.click, field.drag, field.scroll].filter((each) => each !== undefined);
  if (actions.length !== 1) throw wrong('mouse needs one of click, drag and scroll');
  if (field.at !== undefined && !field.scroll) throw wrong('at is for scroll; give click a place');
  if (field.drag !== undefined && field.drag.length < 2) throw wrong('drag needs two places');
  const { times = 1 } = field;
  if (times < 1 || times > maxTimes) throw wrong(`times is 1 to ${maxTimes}`);
  const target = field.click ?? field.at;
  const isText = target !== undefined && cellOf(target) === null;
  const on = isText ? { on: quoted(target) } : {};
  const cells =
    field.drag ?? (isText ? [anywhere] : [target ?? (await middleOf(coordinator, session))]);
  const places = cells.map((each) => ({ ...placeOf(each), ...held }));
  const sent = await coordinator.sendMouse(session, eventsOf(field, places), {
    ...options,
    ...on,
  });
  if (sent.ignored) throw unsent(sent, target ?? '');
  return sent;
}

const maxTimes = 100;

/** Events on a text do not use the place. */
const anywhere = '0,0';

async function middleOf(coordinator: Coordinator, session: SessionRef): Promise<string> {
  const { rows, cols } = (await coordinator.info(session)).size;
  return `${Math.floor(rows / 2)},${Math.floor(cols / 2)}`;
}

/** Null for a text. */
function cellOf(word: string): Pick<MouseInput, 'row' | 'col'> | null {
  const [, row, col] = /^\s*(\d+)\s*,\s*(\d+)\s*$/.exec(word) ?? [];
  return row === undefined ? null : { row: Number(row), col: Number(col) };
}

/** @throws VtrError INVALID_ARGUMENT */
function placeOf(word: string): Pick<MouseInput, 'row' | 'col'> {
  const place = cellOf(word);
  if (place !== null) return place;
  throw wrong(`${JSON.stringify(word)} is not a place; use "row,col", both from 0`);
}

type Place = Pick<MouseInput, 'row' | 'col'> & Held;

const wheel = {
  up: 'scrollUp',
  down: 'scrollDown',
  left: 'scrollLeft',
  right: 'scrollRight',
} as const;

function eventsOf(
  { scroll, button = 'left', times = 1 }: MouseField,
  places: readonly Place[],
): MouseInput[] {
  const [first, last] = [places[0] as Place, places.at(-1) as Place];
  const once: MouseInput[] =
    scroll === undefined
      ? [
          { action: 'press', button, ...first },
          ...places.slice(1).map((each): MouseInput => ({ action: 'move', button, ...each })),
          { action: 'release', button, ...last },
        ]
      : [{ action: wheel[scroll], ...first }];
  return Array.from({ length: times }, () => once).flat();
}

/** Returns an expression that matches the text itself. */
const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const wrong = (message: string) => new VtrError('INVALID_ARGUMENT', message);

/** The most places that are listed. */
const maxPlaces = 10;

function unsent({ found }: SendMouseResult, text: string): VtrError {
  if (found === undefined || found.length === 1) {
    return wrong(
      'not sent: the program has not requested these events of the mouse; press keys instead',
    );
  }
  if (found.length === 0) {
    return wrong(`not sent: the screen does not show ${JSON.stringify(text)} in one row`);
  }
  const places = found.slice(0, maxPlaces).map(({ row, col }) => `"${row},${col}"`);
  const rest = found.length > maxPlaces ? ', ...' : '';
  return wrong(
    `not sent: the screen shows ${JSON.stringify(text)} ${found.length} times: at ` +
      `${places.join(', ')}${rest}; give one of these places, or a longer text`,
  );
}
