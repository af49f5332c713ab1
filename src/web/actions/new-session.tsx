import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { defined, ignored } from '#base';
import type { AnswerJson } from '#messages';
import { sessionNameFrom } from '#model';
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
  /** A kind of coding agent; empty: none. */
  readonly agent: string;
  readonly name: string;
  readonly directory: string;
  /** A branch of git, in whose worktree it starts; empty: in the directory itself. */
  readonly branch: string;
  readonly size: string;
  readonly label: string;
  /** The name of the coordinator; empty for the one that serves the page. */
  readonly machine: string;
}

const empty: Fields = {
  program: '',
  agent: '',
  name: '',
  directory: '',
  branch: '',
  size: '',
  label: '',
  machine: '',
};

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

type Kinds = NonNullable<AnswerJson<'ListAgentKinds'>['kinds']>;

/** The kinds of coding agents that a machine knows. */
function useAgentKinds(at: App): Kinds {
  const all = useSignal<Kinds>([]);
  useEffect(() => {
    let isCurrent = true;
    const show = at.link.call('ListAgentKinds', {}).then(({ kinds = [] }) => {
      if (isCurrent) all.value = kinds;
    });
    ignored(show, 'a person can write the program of an agent');
    return () => {
      isCurrent = false;
    };
  }, [at]);
  return all.value;
}

/** Returns a name for a session that no other has: `fix-login`, `fix-login-2`. */
function freeName(at: App, base: string | null): string {
  if (base === null) return '';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (at.sessions.named(name) === null) return name;
  }
}

/** Where a session starts, and what else follows from that. */
async function placeOf(at: App, { branch, directory, name }: Fields) {
  const text = directory.trim();
  if (branch.trim() === '') return { name: name.trim(), workingDir: await withoutTilde(at, text) };
  const wish = { directory: text || '~', branch: branch.trim() };
  const { path = '', labels = {} } = await at.link.call('MakeWorktree', wish);
  const ownName = name.trim() || freeName(at, sessionNameFrom(wish.branch));
  return { name: ownName, workingDir: path, labels };
}

/** @returns the address of the session */
async function start(app: App, fields: Fields): Promise<string> {
  const at = machineOf(app, fields.machine);
  const own = labelsIn(fields.label);
  const size = sizeIn(fields.size);
  const { workingDir, labels = {}, ...place } = await placeOf(at, fields);
  const { session } = await at.link.call('Spawn', {
    ...place,
    ...defined({
      command: fields.program.trim() || undefined,
      agent: fields.agent || undefined,
      workingDir: workingDir || undefined,
    }),
    ...size,
    labels: { ...own, ...labels },
    by: 'web',
  });
  const { name = '', id = '' } = session ?? {};
  await at.sessions.listed(id);
  return addressOf(at, name);
}

const branchHint = 'Starts in a worktree of this branch of git';

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
  const at = machineOf(app, fields.value.machine);
  const directories = useDirectories(at, fields.value.directory);
  const kinds = useAgentKinds(at);
  const { agent } = fields.value;
  return (
    <FormDialog title="New session" action="Start" {...form}>
      <div class="beside">
        <Field
          label="Program"
          placeholder={agent === '' ? 'your shell' : 'that of the agent'}
          {...field('program')}
        />
        <label class="field">
          <span>Agent</span>
          <select
            aria-label="Agent"
            value={agent}
            onChange={({ currentTarget }) => field('agent').onChange(currentTarget.value)}
          >
            <option value="">none</option>
            {kinds.map(({ kind = '', name, inPath = false }) => (
              <option key={kind} value={kind}>
                {inPath ? name : `${name} (not in PATH)`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="beside">
        <Field label="Directory" placeholder="~" list="directories" {...field('directory')} />
        <Field label="Branch" placeholder="none" hint={branchHint} {...field('branch')} />
      </div>
      <datalist id="directories">
        {directories.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <div class="beside">
        <Field label="Name" placeholder="chosen for you" {...field('name')} />
        <Field label="Label" placeholder="team=api" hint={labelHint} {...field('label')} />
      </div>
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
