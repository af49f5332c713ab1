import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { defined, ignored } from '#base';
import { type App, addressOf } from '../page/app.ts';
import { closeDialog, Field, FormDialog, openDialog } from '../page/dialog.tsx';
import { go, sessionPath } from '../page/route.ts';
import { labelsIn } from './label-text.ts';
import { labelHint, useCall } from './session-dialogs.tsx';

const show = (address: string) => go(sessionPath(address));

/** Lets the person start a session, on this machine or another one. @param then what is done with its address */
export const openNewSession = (app: App, then = show): void =>
  openDialog(() => <NewSession app={app} then={then} />);

interface Fields {
  readonly program: string;
  readonly name: string;
  readonly directory: string;
  readonly size: string;
  readonly label: string;
  /** The name of the coordinator; empty for the one that serves the page. */
  readonly machine: string;
}

const empty: Fields = { program: '', name: '', directory: '', size: '', label: '', machine: '' };

/** Returns the columns and rows in `80x24`. @throws Error for another text */
function sizeIn(text: string): { readonly cols?: number; readonly rows?: number } {
  if (text.trim() === '') return {};
  const [, cols, rows] = /^\s*(\d+)\s*[x×, ]\s*(\d+)\s*$/i.exec(text) ?? [];
  if (cols === undefined) throw new Error('Write the size as COLUMNSxROWS, for example 80x24');
  return { cols: Number(cols), rows: Number(rows) };
}

const machineOf = (app: App, machine: string): App =>
  app.others.value.find(({ coordinator }) => coordinator === machine) ?? app;

async function withoutTilde(at: App, directory: string): Promise<string> {
  if (!/^~(?=\/|$)/.test(directory)) return directory;
  const { home = '' } = await at.link.call('ListDirectories', { prefix: directory });
  return directory.replace('~', home);
}

/** Directories of a machine that begin with what is written. */
function useDirectories(at: App, prefix: string) {
  const all = useSignal<readonly string[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const call = at.link.call('ListDirectories', { prefix: prefix || '~/' });
    const show = call.then(({ directories = [] }) => {
      if (isCurrent) all.value = directories;
    });
    ignored(show, 'a person can write a path without completion');
    return () => {
      isCurrent = false;
    };
  }, [at, prefix]);
  return all.value;
}

/** @returns the address of the session */
async function start(app: App, fields: Fields): Promise<string> {
  const at = machineOf(app, fields.machine);
  const labels = labelsIn(fields.label);
  const { session } = await at.link.call('Spawn', {
    name: fields.name.trim(),
    ...defined({ command: fields.program.trim() || undefined }),
    ...defined({ workingDir: (await withoutTilde(at, fields.directory.trim())) || undefined }),
    ...sizeIn(fields.size),
    labels,
    by: 'web',
  });
  const { name = '', id = '' } = session ?? {};
  await at.sessions.listed(id);
  return addressOf(at, name);
}

interface NewProps {
  readonly app: App;
  readonly then: (address: string) => void;
}

function NewSession({ app, then }: NewProps) {
  const fields = useSignal(empty);
  const form = useCall(async () => {
    const address = await start(app, fields.value);
    closeDialog();
    then(address);
  });
  const field = (name: keyof Fields) => ({
    value: fields.value[name],
    onChange: (value: string) => {
      fields.value = { ...fields.value, [name]: value };
    },
  });
  const machines = [app, ...app.others.value];
  const directories = useDirectories(machineOf(app, fields.value.machine), fields.value.directory);
  return (
    <FormDialog title="New session" action="Start" {...form}>
      <Field label="Program" placeholder="your shell" {...field('program')} />
      <Field label="Name" placeholder="chosen for you" {...field('name')} />
      <Field label="Directory" placeholder="~" list="directories" {...field('directory')} />
      <datalist id="directories">
        {directories.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Field label="Label" placeholder="team=api" hint={labelHint} {...field('label')} />
      <Field label="Size" placeholder="80x24" {...field('size')} />
      {machines.length > 1 && (
        <label class="field">
          <span>Machine</span>
          <select
            aria-label="Machine"
            value={fields.value.machine}
            onChange={({ currentTarget }) => field('machine').onChange(currentTarget.value)}
          >
            {machines.map(({ coordinator }) => (
              <option key={coordinator} value={coordinator}>
                {coordinator || app.me.coordinator}
              </option>
            ))}
          </select>
        </label>
      )}
    </FormDialog>
  );
}
