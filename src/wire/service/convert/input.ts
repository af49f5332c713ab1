import type { MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import type {
  KeySchema,
  ScreenMatch as Match,
  MouseEvent,
  MouseEventSchema,
  SendBytesRequest,
  SendBytesResponse,
  SendKeyRequest,
} from '#messages';
import {
  checkMouseInput,
  type KeyPress,
  type MouseAction,
  type MouseInput,
  type ScreenMatch,
  type SendOptions,
  type SendResult,
  type SessionRef,
} from '#model';
import { checked, fromSenderFields, toNamed, toSenderFields } from './driver.ts';
import { durationField, enumOf, field, msField, wordOf } from './field.ts';
import { fromConditions, fromWaitResult, toConditions, toWaitResult } from './wait.ts';

/**
 * The fields that every request with input has.
 *
 * @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent
 */
export const toSendFields = (
  ref: SessionRef,
  { timeoutMs, inputId, wait, ...sender }: SendOptions,
) => ({
  ...toNamed(ref),
  ...toSenderFields(sender),
  ...field('inputId', inputId),
  ...durationField('timeout', timeoutMs),
  ...field('wait', wait && checked(ref, () => toConditions(wait))),
});

type InputRequest = Pick<
  SendBytesRequest,
  'timeout' | 'inputId' | 'wait' | 'viewer' | 'driverEpoch' | 'by'
>;

/** @param signal of the call; it ends the wait */
export const fromSendFields = (
  { timeout, inputId, wait, ...sender }: InputRequest,
  signal: AbortSignal,
): SendOptions => ({
  ...fromSenderFields(sender),
  ...msField('timeoutMs', timeout),
  ...field('inputId', inputId),
  ...field('wait', wait && { ...fromConditions(wait), signal }),
});

export const toSent = ({
  mark,
  wait,
  lineCutAtBytes,
  pasted,
  shown,
  sentAs,
  submitted,
  turn,
  answered,
  ignored,
  driverEpoch,
}: SendResult) => ({
  mark,
  ...field('shown', shown),
  ...defined({ sentAs: sentAs && { ...sentAs } }),
  ...defined({ submitted, turn, answered, driverEpoch }),
  ...defined({ pasted: pasted || undefined, ignored: ignored || undefined }),
  ...field('lineCutAtBytes', lineCutAtBytes),
  ...field('wait', wait && toWaitResult(wait)),
});

/** The answers to all input have the same fields. */
export const fromSent = ({
  mark,
  wait,
  lineCutAtBytes,
  driverEpoch,
  pasted = false,
  ignored = false,
  shown,
  sentAs,
  submitted,
  turn,
  answered,
}: Pick<SendBytesResponse, 'mark' | 'wait' | 'lineCutAtBytes' | 'driverEpoch'> & {
  readonly pasted?: boolean;
  readonly ignored?: boolean;
  readonly shown?: boolean | undefined;
  readonly sentAs?: Readonly<Record<string, string>> | undefined;
  readonly submitted?: boolean | undefined;
  readonly turn?: number | undefined;
  readonly answered?: string | undefined;
}): SendResult => ({
  mark,
  ...field('shown', shown),
  ...(Object.keys(sentAs ?? {}).length > 0 && { sentAs: { ...sentAs } }),
  ...defined({ submitted, turn, answered, driverEpoch }),
  ...defined({ pasted: pasted || undefined, ignored: ignored || undefined }),
  ...field('lineCutAtBytes', lineCutAtBytes),
  ...field('wait', wait && fromWaitResult(wait)),
});

export function toKey(key: string | KeyPress): MessageInitShape<typeof KeySchema> {
  if (typeof key === 'string') return { key: { case: 'shortForm', value: key } };
  const { action, ...press } = key;
  const changed = action === 'press' ? null : action;
  return { key: { case: 'press', value: { ...press, action: enumOf('KeyAction', changed) } } };
}

export function fromKeys({ key, keys }: SendKeyRequest): (string | KeyPress)[] {
  if (key !== '') return [key];
  return keys.map(({ key: each }) => {
    if (each.case !== 'press') return each.value ?? '';
    const { $typeName: _, $unknown: __, action, shiftedKey, baseLayoutKey, ...press } = each.value;
    return {
      ...press,
      ...field('action', wordOf('KeyAction', action)),
      ...defined({
        shiftedKey: shiftedKey || undefined,
        baseLayoutKey: baseLayoutKey || undefined,
      }),
    };
  });
}

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
    row,
    col,
    shift,
    alt,
    ctrl,
  };
}

export const fromScreenMatches = (matches: readonly Match[]): ScreenMatch[] =>
  matches.map(({ row, col, cols, text }) => ({ row, col, cols, text }));
