import type { Coordinator } from '#model';
import { field } from '../../convert/field.ts';
import { fromKeys, fromSendFields, toSent } from '../../convert/input.ts';
import { fromMouse } from '../../convert/mouse.ts';
import { fromSenderFields } from '../../convert/sessions/driver.ts';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import { wordOf } from '../../convert/words.ts';
import { accepted, type Handlers } from '../accepted.ts';

export function inputHandlers(
  coordinator: Coordinator,
): Handlers<'sendText' | 'sendKey' | 'sendBytes' | 'sendMouse' | 'sendFocus' | 'resize'> {
  return {
    async sendText(request, context) {
      const paste = wordOf('PasteMode', request.paste) ?? 'never';
      const submit = field('submit', request.submit);
      const options = { ...fromSendFields(request, context.signal), ...submit, paste };
      const send = () => coordinator.sendText(fromNamed(request), request.text, options);
      return toSent(await accepted(context, send));
    },
    async sendKey(request, context) {
      const options = fromSendFields(request, context.signal);
      const send = () => coordinator.sendKeys(fromNamed(request), fromKeys(request), options);
      return toSent(await accepted(context, send));
    },
    async sendBytes(request, context) {
      const options = fromSendFields(request, context.signal);
      const send = () => coordinator.sendBytes(fromNamed(request), request.data, options);
      return toSent(await accepted(context, send));
    },
    async sendMouse(request, context) {
      const found = { ...field('on', request.on), ...field('redact', request.redact) };
      const options = { ...fromSendFields(request, context.signal), ...found };
      const events = request.events.map(fromMouse);
      const send = () => coordinator.sendMouse(fromNamed(request), events, options);
      const sent = await accepted(context, send);
      return {
        ...toSent(sent),
        ...{ found: [...(sent.found ?? [])], ...field('redacted', sent.redacted) },
      };
    },
    async sendFocus(request, context) {
      const options = fromSendFields(request, context.signal);
      const send = () => coordinator.sendFocus(fromNamed(request), request.focused, options);
      return toSent(await accepted(context, send));
    },
    async resize(request, context) {
      const { cols, rows } = request;
      const sender = fromSenderFields(request);
      const resize = () => coordinator.resize(fromNamed(request), { cols, rows }, sender);
      await accepted(context, resize);
      return {};
    },
  };
}
