import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ScreenMatch as Match, MouseEvent, MouseEventSchema } from '#messages';
import { checkMouseInput, type MouseAction, type MouseInput, type ScreenMatch } from '#model';
import { field } from './field.ts';
import { enumOf, wordOf } from './words.ts';

const wheel = {
  scrollUp: 'scroll_up',
  scrollDown: 'scroll_down',
  scrollLeft: 'scroll_left',
  scrollRight: 'scroll_right',
} as const;

/** @throws VtrError INVALID_ARGUMENT for an event that is on no screen */
export function toMouse(event: MouseInput): MessageInitShape<typeof MouseEventSchema> {
  const { action, button, ...rest } = checkMouseInput(event);
  const word = action in wheel ? wheel[action as keyof typeof wheel] : action;
  return {
    ...rest,
    action: enumOf('MouseAction', word as (typeof wheel)[keyof typeof wheel]),
    button: enumOf('MouseButton', button),
  };
}

/** An event without an action is refused by the coordinator. */
export function fromMouse({ action, button, row, col, shift, alt, ctrl }: MouseEvent): MouseInput {
  const word = wordOf('MouseAction', action) ?? '';
  const [scroll] = Object.entries(wheel).find(([, each]) => each === word) ?? [];
  return {
    action: (scroll ?? word) as MouseAction,
    ...field('button', wordOf('MouseButton', button)),
    ...{ row, col, shift, alt, ctrl },
  };
}

export const fromScreenMatches = (matches: readonly Match[]): ScreenMatch[] =>
  matches.map(({ row, col, cols, text }) => ({ row, col, cols, text }));
