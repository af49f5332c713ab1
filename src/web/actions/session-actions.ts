import { defined } from '#base';
import type { SessionInfo } from '#model';
import { errorText, LinkError } from '../link/link.ts';
import { type App, addressOf } from '../page/app.ts';
import { openDialog } from '../page/dialog.tsx';
import { later } from '../page/later.tsx';
import { say } from '../page/notices.tsx';
import {
  go,
  lastGrid,
  lineInView,
  replayPath,
  route,
  sessionPath,
  splitPath,
} from '../page/route.ts';

/** Something that a person can do with a session. */
export interface SessionAction {
  readonly name: string;
  /** The key that does it while the menu is open, or the session's tile has the focus. */
  readonly key?: string;
  /** Whether it ends something. */
  readonly isDanger?: true;
  readonly run: () => void;
}

/** For how long a person is asked whether a session is removed in spite of work that is left, in ms. */
const leftMs = 20_000;
/** For how long a session that was removed can be had back, in ms. */
const undoMs = 10_000;
/** For how long a session that was killed is offered to be started again, in ms. */
const reviveMs = 10_000;

/** Returns what a person can do with a session. A visitor may only take what is shown. */
export function sessionActions(app: App, info: SessionInfo): readonly SessionAction[] {
  const address = addressOf(app, info.name);
  const copy = {
    name: 'Copy link',
    run: () => copyText(`${location.origin}/${linkTo(address)}`),
  };
  const split: SessionAction = {
    name: 'Split',
    key: 'x',
    run: () => {
      const { value: at } = route;
      const others = at.view === 'split' ? at.names.filter((each) => each !== address) : [];
      go(splitPath([...others, address]));
    },
  };
  if (app.me.scope !== 'all') return [copy];
  return [split, ...changes(app, info), copy, ...pictures(app, info), ...endings(app, info)];
}

/** The link to a session; of the one in view, to the line that the person reads. */
function linkTo(address: string): string {
  const at = route.value;
  const line = at.view === 'session' && at.name === address ? lineInView.read() : null;
  return sessionPath(address, defined({ line: line ?? undefined }));
}

function changes(app: App, info: SessionInfo): SessionAction[] {
  const isRecorded = info.recording?.state === 'on';
  const dialog = (name: 'RenameDialog' | 'LabelDialog' | 'ShareDialog') => () =>
    void later((all) => openDialog(() => all[name]({ app, info }) as never));
  const all: (SessionAction | false)[] = [
    { name: 'Rename', key: 'r', run: dialog('RenameDialog') },
    { name: 'Label', key: 'l', run: dialog('LabelDialog') },
    // A link leads to the server of this page, which has shares of its own sessions.
    app.coordinator === '' && { name: 'Share', key: 's', run: dialog('ShareDialog') },
    info.state === 'running' && {
      name: isRecorded ? 'Stop recording' : 'Record',
      run: () => void record(app, info, !isRecorded),
    },
    { name: 'Replay', run: () => go(replayPath(addressOf(app, info.name))) },
  ];
  return all.filter((each) => each !== false);
}

const pictures = (app: App, info: SessionInfo): SessionAction[] =>
  (['PNG', 'SVG'] as const).map((format) => ({
    name: `Picture (${format})`,
    run: () =>
      void later(({ downloadPicture }) => void sayFailure(downloadPicture(app, info, format))),
  }));

function endings(app: App, info: SessionInfo): SessionAction[] {
  const { state, fedBy } = info;
  const all: (SessionAction | false)[] = [
    state === 'exited' &&
      fedBy === undefined && { name: 'Start again', run: () => revive(app, info) },
    state === 'running' && { name: 'Kill', isDanger: true, run: () => void kill(app, info) },
    { name: 'Remove', key: 'Delete', isDanger: true, run: () => remove(app, info) },
  ];
  return all.filter((each) => each !== false);
}

/** Starts the program of an ended session again. */
export function revive(app: App, { name, id: sessionId }: SessionInfo): void {
  void sayFailure(app.link.call('Revive', { name, sessionId }));
}

/** Ends the program: SIGHUP and SIGTERM, and after 5 s SIGKILL. The session stays. */
async function kill(app: App, info: SessionInfo): Promise<void> {
  const { name, id: sessionId, fedBy } = info;
  const ended = await sayFailure(app.link.call('End', { name, sessionId }));
  if (!ended) return;
  const again = { label: 'Start again', run: () => revive(app, info), ms: reviveMs };
  say(`Killed ${name}`, fedBy === undefined ? again : undefined);
}

/** Removes a session after a while, in which the person can have it back. */
export function remove(app: App, info: SessionInfo): void {
  const path = sessionPath(addressOf(app, info.name));
  const wasShown = route.value.view !== 'grid';
  const keep = app.sessions.removeLater(info, undoMs, (error) => refused(app, info, error));
  const undo = () => {
    keep();
    if (wasShown) go(path);
  };
  say(`Removed ${info.name}`, { label: 'Undo', run: undo, ms: undoMs });
  if (wasShown) go(lastGrid.value);
}

/** A session whose worktree has work left is removed only if the person wants that. */
function refused(app: App, { name, id: sessionId }: SessionInfo, error: Error): void {
  if (!(error instanceof LinkError) || error.code !== 'WORK_LEFT') {
    say(error.message);
    return;
  }
  const [text = ''] = error.message.split('\n');
  const run = () => void sayFailure(app.link.call('Remove', { name, sessionId }));
  say(text, { label: 'Remove anyway', run, ms: leftMs });
}

async function record(app: App, info: SessionInfo, starts: boolean): Promise<void> {
  const { name, id: sessionId } = info;
  const call = starts ? 'StartRecording' : 'StopRecording';
  if (!(await sayFailure(app.link.call(call, { name, sessionId })))) return;
  say(starts ? `Recording ${name}` : `The recording of ${name} is kept: see Recordings`);
}

/** Copies a text for the person, and says so. */
function copyText(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => say(`Copied ${text}`),
    () => say(`The browser refused to copy ${text}`),
  );
}

/** Says why something failed. @returns whether it did not */
const sayFailure = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error) => {
      say(errorText(error));
      return false;
    },
  );
