import type { Coordinator } from '#model';
import { field } from '../../convert/field.ts';
import {
  fromCommandOutputRequest,
  toCommandList,
  toCommandOutput,
} from '../../convert/output/command.ts';
import { fromFollowRequest, toFollowResult } from '../../convert/output/follow.ts';
import { toFrame } from '../../convert/output/frame.ts';
import { fromReadRequest, toReadResult } from '../../convert/output/read.ts';
import { fromRange, toLines, toScreen } from '../../convert/output/screen.ts';
import { fromSearchRequest, toSearchResult } from '../../convert/output/search.ts';
import { toActivity } from '../../convert/sessions/activity.ts';
import { toSession } from '../../convert/sessions/session.ts';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import { wordOf } from '../../convert/words.ts';
import { accepted, type Handlers } from '../accepted.ts';

/** The calls that read a session's present state. */
export function readHandlers(
  coordinator: Coordinator,
): Handlers<
  | 'getScreen'
  | 'getFrame'
  | 'readLines'
  | 'follow'
  | 'read'
  | 'getMark'
  | 'grep'
  | 'getActivity'
  | 'listCommands'
  | 'getCommandOutput'
> {
  return {
    async getScreen(request, context) {
      const format = wordOf('RenderFormat', request.format) ?? 'cells';
      const { at, redact } = request;
      const asked = { format, ...field('at', at), ...field('redact', redact) };
      const read = () => coordinator.screen(fromNamed(request), asked);
      return toScreen(request.name, await accepted(context, read));
    },
    async getFrame(request, context) {
      const read = () => coordinator.frame(fromNamed(request));
      const { info, frame } = await accepted(context, read);
      return { session: toSession(info), frame: toFrame(info.id, frame) };
    },
    async readLines(request, context) {
      const format = wordOf('RenderFormat', request.format) ?? 'text';
      const { at, redact, aboveScreen } = request;
      const when = { ...field('at', at), ...field('redact', redact) };
      const asked = {
        format,
        ...fromRange(request),
        ...field('aboveScreen', aboveScreen),
        ...when,
      };
      const read = () => coordinator.readLines(fromNamed(request), asked);
      return toLines(await accepted(context, read));
    },
    async follow(request, context) {
      const asked = { ...fromFollowRequest(request), signal: context.signal };
      const next = () => coordinator.follow(fromNamed(request), asked);
      return toFollowResult(await accepted(context, next));
    },
    async read(request, context) {
      const read = () => coordinator.read(fromNamed(request), fromReadRequest(request));
      return toReadResult(await accepted(context, read));
    },
    async getMark(request, context) {
      return { mark: await accepted(context, () => coordinator.mark(fromNamed(request))) };
    },
    async grep(request, context) {
      const search = { ...fromSearchRequest(request), signal: context.signal };
      const found = () => coordinator.search(fromNamed(request), search);
      return toSearchResult(await accepted(context, found));
    },
    async getActivity(request, context) {
      return toActivity(await accepted(context, () => coordinator.activity(fromNamed(request))));
    },
    async listCommands(request, context) {
      const { last, redact } = request;
      const asked = { ...field('last', last), ...field('redact', redact) };
      const list = () => coordinator.commands(fromNamed(request), asked);
      return toCommandList(await accepted(context, list));
    },
    async getCommandOutput(request, context) {
      const asked = fromCommandOutputRequest(request);
      const read = () => coordinator.commandOutput(fromNamed(request), asked);
      return toCommandOutput(await accepted(context, read));
    },
  };
}
