import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { durationText } from '#base';
import type { FileRecordingJson } from '#messages';
import { useCall } from '../actions/session-dialogs.tsx';
import { errorText } from '../link/link.ts';
import { wordOf } from '../link/values.ts';
import type { App } from '../page/app.ts';
import { closeDialog, FormDialog, NameField, openDialog } from '../page/dialog.tsx';
import { say } from '../page/notices.tsx';
import { titleOfView } from '../page/notify.ts';

/** Returns a number of bytes for people. */
function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [unit, divisor] = bytes < 1024 ** 2 ? ['KiB', 1024] : (['MiB', 1024 ** 2] as const);
  return `${(bytes / divisor).toFixed(1)} ${unit}`;
}

/** Returns how long a recording that has ended took; empty where that is not known. */
function lengthText({ startedAt, endedAt }: FileRecordingJson): string {
  if (startedAt === undefined || endedAt === undefined) return '';
  return durationText(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)));
}

/** Gives the browser the file of a recording. */
function download({ id = '', name }: FileRecordingJson): void {
  const link = document.createElement('a');
  link.href = `/recordings/${encodeURIComponent(id)}`;
  link.download = `${name ?? id}.cast`;
  link.click();
}

/** For how long a recording that was deleted can be had back, in ms. */
const undoMs = 10_000;

/** The recordings that were written to files, newest first; they begin and end here, too. */
export function Recordings({ app }: { readonly app: App }) {
  const all = useSignal<readonly FileRecordingJson[] | null>(null);
  const problem = useSignal('');
  /** The ids of those that are deleted when their time for Undo is over. */
  const deleted = useSignal<ReadonlySet<string>>(new Set());
  const look = async () => {
    try {
      const { recordings = [] } = await app.link.call('ListRecordings', {});
      all.value = recordings.toSorted((a, b) =>
        (b.startedAt ?? '').localeCompare(a.startedAt ?? ''),
      );
      problem.value = '';
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  useEffect(() => {
    titleOfView.value = 'Recordings · vtr';
    return app.link.onUp(() => void look());
  }, [app]);
  const act = (call: Promise<unknown>) =>
    call.then(look, (error: unknown) => say(errorText(error)));
  const remove = (recording: FileRecordingJson) => {
    const { id = '' } = recording;
    const others = (isDeleted: boolean) => {
      const rest = [...deleted.value].filter((each) => each !== id);
      deleted.value = new Set(isDeleted ? [...rest, id] : rest);
    };
    others(true);
    const late = setTimeout(() => {
      void act(app.link.call('RemoveRecording', { id })).then(() => others(false));
    }, undoMs);
    const run = () => {
      clearTimeout(late);
      others(false);
    };
    say(`Deleted ${titleOf(recording)}`, { label: 'Undo', run, ms: undoMs });
  };
  const shown = (all.value ?? []).filter(({ id = '' }) => !deleted.value.has(id));
  return (
    <main class="files">
      <header class="bar">
        <a href="#/" class="back" aria-label="All sessions">
          ‹
        </a>
        <h1>Recordings</h1>
        <span class="gap" />
        <Record app={app} all={shown} act={act} />
      </header>
      {problem.value !== '' && <p class="empty">{problem.value}</p>}
      {all.value !== null && shown.length === 0 && (
        <p class="empty">No recordings. Record begins one, and so does vtr record start SESSION.</p>
      )}
      <ul>
        {shown.map((each) => (
          <Row
            key={each.id}
            recording={each}
            onDelete={() => remove(each)}
            onRename={() => openRename(app, each, look)}
            app={app}
            act={act}
          />
        ))}
      </ul>
    </main>
  );
}

/** What a recording is called in texts: by its name, or by its session. */
const titleOf = ({ id = '', name, session }: FileRecordingJson): string =>
  name ?? `the recording of ${session || id}`;

const openRename = (app: App, recording: FileRecordingJson, done: () => Promise<void>): void =>
  openDialog(() => <RenameRecording app={app} recording={recording} done={done} />);

interface RenameProps {
  readonly app: App;
  readonly recording: FileRecordingJson;
  readonly done: () => Promise<void>;
}

function RenameRecording({ app, recording, done }: RenameProps) {
  const { id = '', name = '' } = recording;
  const newName = useSignal(name);
  const form = useCall(async () => {
    if (newName.value !== name)
      await app.link.call('RenameRecording', { id, newName: newName.value });
    closeDialog();
    await done();
  });
  return (
    <FormDialog title={`Rename ${titleOf(recording)}`} action="Rename" {...form}>
      <NameField
        value={newName.value}
        onChange={(value) => {
          newName.value = value;
        }}
      />
    </FormDialog>
  );
}

type Act = (call: Promise<unknown>) => Promise<void>;

const isOpen = ({ state }: FileRecordingJson): boolean => wordOf(statePrefix, state) === 'on';
const statePrefix = 'FILE_RECORDING_STATE_';

/** Begins to record a session that is not recorded. */
function Record({
  app,
  all,
  act,
}: {
  readonly app: App;
  readonly all: readonly FileRecordingJson[];
  readonly act: Act;
}) {
  const recorded = new Set(all.filter(isOpen).map(({ sessionId }) => sessionId));
  const sessions = [...(app.sessions.all.value?.values() ?? [])].filter(
    ({ id, state }) => state !== 'exited' && !recorded.has(id),
  );
  if (sessions.length === 0) return null;
  return (
    <form
      class="group"
      onSubmit={(event) => {
        event.preventDefault();
        const sessionId = new FormData(event.currentTarget).get('session');
        const session = sessions.find(({ id }) => id === sessionId);
        if (session === undefined) return;
        void act(app.link.call('StartRecording', { name: session.name, sessionId: session.id }));
      }}
    >
      <select name="session" aria-label="Session">
        {sessions.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <button type="submit">Record</button>
    </form>
  );
}

function Row({
  recording,
  onDelete,
  onRename,
  app,
  act,
}: {
  readonly recording: FileRecordingJson;
  readonly onDelete: () => void;
  readonly onRename: () => void;
  readonly app: App;
  readonly act: Act;
}) {
  const { id = '', name, session = '', sessionId = '', state, bytes = '0', startedAt } = recording;
  const title = titleOf(recording);
  return (
    <li>
      <a href={`#/f/${encodeURIComponent(id)}`}>
        <b>{name ?? (session || id)}</b>
        {name !== undefined && <span>{session}</span>}
        <span>{startedAt === undefined ? '' : new Date(startedAt).toLocaleString()}</span>
        <span class="state">{wordOf(statePrefix, state)}</span>
        {lengthText(recording) !== '' && <span class="state">{lengthText(recording)}</span>}
        <span class="state">{sizeText(Number(bytes))}</span>
      </a>
      <button type="button" aria-label={`Download ${title}`} onClick={() => download(recording)}>
        Download
      </button>
      <button type="button" aria-label={`Rename ${title}`} onClick={onRename}>
        Rename
      </button>
      {isOpen(recording) ? (
        <button
          type="button"
          aria-label={`Stop ${title}`}
          onClick={() => void act(app.link.call('StopRecording', { name: session, sessionId }))}
        >
          Stop
        </button>
      ) : (
        <button type="button" aria-label={`Delete ${title}`} onClick={onDelete}>
          Delete
        </button>
      )}
    </li>
  );
}
