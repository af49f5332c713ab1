import type { TmuxSession, WindowLink } from '../../state/tmux-session.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import type { Call } from '../call.ts';

/** Returns the index for a window, after moving others as the flags say. @throws TmuxError */
export function placeFor(beside: WindowLink, asked: number | null, args: Arguments): number {
  const { session } = beside;
  if (args.has('a') || args.has('b')) {
    const base = asked === null ? beside.index : (session.linkAt(asked)?.index ?? asked);
    const index = args.has('b') ? base : base + 1;
    let last = index;
    while (session.linkAt(last) !== null) last++;
    for (; last > index; last--) {
      const link = session.linkAt(last - 1);
      if (link !== null) link.index = last;
    }
    session.sort();
    return index;
  }
  if (asked === null) return session.freeIndex();
  const there = session.linkAt(asked);
  if (there === null) return asked;
  if (!args.has('k')) throw new TmuxError(`create window failed: index ${asked} in use`);
  return asked;
}

/** Puts a window at an index, in place of where it was or also there. */
export function putWindow(
  { server }: Call,
  link: WindowLink,
  session: TmuxSession,
  index: number,
  args: Arguments,
  isMoved: boolean,
): WindowLink {
  const { window } = link;
  const wasCurrent = link.session.current === link;
  const added = server.link(session, window, index);
  if (isMoved) server.unlink(link);
  if (!args.has('d')) server.selectLink(added);
  else if (isMoved && wasCurrent && session === link.session) session.select(added);
  return added;
}
