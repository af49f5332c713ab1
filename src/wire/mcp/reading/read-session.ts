import type { Coordinator, SessionInfo } from '#model';
import type { Caller } from '../caller.ts';
import { exitAnswer } from '../tools/fields.ts';
import { activityAfter, type Waited } from '../waiting/input-needed.ts';
import { waitAnswer } from '../waiting/wait-for.ts';
import { readView, type ViewArguments } from './read-view.ts';

/** Reads a session after a wait. Returns the answer of terminal__read. */
export async function readSession(
  coordinator: Coordinator,
  session: SessionInfo,
  args: ViewArguments,
  caller: Caller,
  waited: Waited | null,
) {
  const ref = { name: session.name, id: session.id };
  const marks = caller.marks.of(session.id);
  // The state before the view: if it is `exited`, the view has all output.
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
    // It exited during the read, which may lack its last output: the next read reports the exit.
    state: exitStatus === null && state === 'exited' ? ('running' as const) : state,
    ...(mark === undefined ? {} : { mark }),
    ...waitAnswer(waited),
  };
}
