import type { Coordinator, SessionInfo } from '#model';
import type { Caller } from '../caller.ts';
import { exitAnswer } from '../tools/fields.ts';
import { activityAfter, type Waited } from '../waiting/input-needed.ts';
import { waitAnswer } from '../waiting/wait-for.ts';
import { readView, type ViewArguments } from './read-view.ts';

/** A read as it is answered, after the wait that was asked for. */
export async function readSession(
  coordinator: Coordinator,
  session: SessionInfo,
  args: ViewArguments,
  caller: Caller,
  waited: Waited | null,
) {
  const ref = { name: session.name, id: session.id };
  const marks = caller.marks.of(session.id);
  // In this order: of a program that has exited, all that it wrote is read.
  const [{ size, exitStatus }, { state, atPrompt }, viewed] = await Promise.all([
    coordinator.info(ref),
    activityAfter(coordinator, ref, waited),
    readView(coordinator, ref, args, marks),
  ]);
  const { text, revision, cursor, mark } = viewed;
  const hasNew = args.view === 'new' ? text.content !== '' : revision > marks.seenRevision;
  marks.seenRevision = revision;
  return {
    ...text,
    cursor,
    dimensions: { rows: size.rows, cols: size.cols },
    has_new_content: hasNew,
    prompt_detected: atPrompt,
    idle: waited?.outcome === 'idle',
    ...exitAnswer(exitStatus),
    // What it wrote last may be missing: its exit is told with that, by the next read.
    state: exitStatus === null && state === 'exited' ? ('running' as const) : state,
    ...(mark === undefined ? {} : { mark }),
    ...waitAnswer(waited),
  };
}
