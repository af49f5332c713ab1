import type { Coordinator } from '#model';
import { toActivity } from '../convert/activity.ts';
import { fromChoice } from '../convert/command.ts';
import { field, numberField } from '../convert/field.ts';
import { fromReadRequest, toReadResult } from '../convert/read.ts';
import { toLines, toScreen, toSearchResult } from '../convert/screen.ts';
import { toRef } from '../convert/session.ts';
import { renderFormats } from '../convert/words.ts';
import { accepted, type Handlers } from './accepted.ts';

/** What is to be seen of a session now. */
export function readHandlers(
  coordinator: Coordinator,
): Handlers<'getScreen' | 'readLines' | 'read' | 'grep' | 'getActivity'> {
  return {
    async getScreen(request, context) {
      const format = renderFormats.fromWire(request.format) ?? 'cells';
      const read = () => coordinator.screen(toRef(request), { format });
      return toScreen(request.name, await accepted(context, read));
    },
    async readLines(request, context) {
      const lines = {
        format: renderFormats.fromWire(request.format) ?? 'text',
        ...numberField('from', request.from),
        ...numberField('to', request.to),
      };
      return toLines(await accepted(context, () => coordinator.readLines(toRef(request), lines)));
    },
    async read(request, context) {
      const read = () => coordinator.read(toRef(request), fromReadRequest(request));
      return toReadResult(await accepted(context, read));
    },
    async grep(request, context) {
      const { maxMatches, command } = request;
      const search = {
        pattern: request.pattern,
        before: request.contextBefore,
        after: request.contextAfter,
        ...(maxMatches === 0 ? {} : { maxMatches }),
        ...numberField('from', request.from),
        ...numberField('to', request.to),
        ...field('command', command && fromChoice(command)),
        signal: context.signal,
      };
      const found = await accepted(context, () => coordinator.search(toRef(request), search));
      return toSearchResult(found);
    },
    async getActivity(request, context) {
      return toActivity(await accepted(context, () => coordinator.activity(toRef(request))));
    },
  };
}
