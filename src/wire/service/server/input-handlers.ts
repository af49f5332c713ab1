import type { HandlerContext } from '@connectrpc/connect';
import type { Coordinator, SendOptions, SendResult } from '#model';
import { field } from '../convert/field.ts';
import { fromKeys } from '../convert/key.ts';
import { toRef } from '../convert/session.ts';
import { msField } from '../convert/time.ts';
import { fromConditions, toWaitResult } from '../convert/wait.ts';
import { pasteModes } from '../convert/words.ts';
import type { WaitConditions } from '../gen/vtr.gen.ts';
import { accepted, type Handlers } from './accepted.ts';

export function inputHandlers(
  coordinator: Coordinator,
): Handlers<'sendText' | 'sendKey' | 'sendBytes' | 'resize'> {
  return {
    async sendText(request, context) {
      const paste = pasteModes.fromWire(request.paste) ?? 'never';
      const options = { ...sendOptions(request, context), paste };
      const send = () => coordinator.sendText(toRef(request), request.text, options);
      return toSent(await accepted(context, send));
    },
    async sendKey(request, context) {
      const options = sendOptions(request, context);
      const send = () => coordinator.sendKeys(toRef(request), fromKeys(request), options);
      return toSent(await accepted(context, send));
    },
    async sendBytes(request, context) {
      const options = sendOptions(request, context);
      const send = () => coordinator.sendBytes(toRef(request), request.data, options);
      return toSent(await accepted(context, send));
    },
    async resize(request, context) {
      const { cols, rows } = request;
      const resize = () => coordinator.resize(toRef(request), { cols, rows });
      return accepted(context, () => resize().then(() => ({})));
    },
  };
}

interface SendMessage {
  readonly timeout?: Parameters<typeof msField>[1];
  readonly wait?: WaitConditions | undefined;
}

function sendOptions({ timeout, wait }: SendMessage, { signal }: HandlerContext): SendOptions {
  return {
    ...msField('timeoutMs', timeout),
    ...field('wait', wait && { ...fromConditions(wait), signal }),
  };
}

const toSent = ({ mark, wait, ...receipt }: SendResult) => ({
  mark,
  ...receipt,
  ...field('wait', wait && toWaitResult(wait)),
});
