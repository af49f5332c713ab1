import { nearMisses } from '#base';
import { checkSize, VtrError } from '#model';
import { type Done, restart, type Scene } from './scene.ts';

type Run = (scene: Scene, rest: string) => Promise<Done> | Done;

interface Command {
  /** Its arguments, for messages. */
  readonly usage: string;
  readonly run: Run;
}

/** The commands that can be typed after `:`; they are those of `vtr`, for the session in view. */
const commands: Readonly<Record<string, Command>> = {
  detach: {
    usage: '',
    run: ({ session }) => ({ way: { type: 'detached', session: session.name } }),
  },
  take: {
    usage: '[--force]',
    async run({ viewing }, rest) {
      if (rest !== '' && rest !== '--force') badLine('use take or take --force');
      await viewing?.take({ force: rest !== '' });
      return {};
    },
  },
  give: { usage: '[NOTE]', run: give },
  note: {
    usage: 'NOTE',
    run: (scene, rest) => (rest === '' ? badLine('use note TEXT') : give(scene, rest)),
  },
  rename: {
    usage: 'NAME',
    async run({ coordinator, session }, name) {
      await coordinator.rename(session, name);
      return { said: `renamed to ${name}` };
    },
  },
  resize: {
    usage: 'COLSxROWS',
    async run({ coordinator, session, viewing }, rest) {
      const [, cols, rows] = /^(\d+)[x× ](\d+)$/.exec(rest) ?? badLine('use resize COLSxROWS');
      const size = checkSize({ cols: Number(cols), rows: Number(rows) });
      await coordinator.resize(session, size, viewing === null ? {} : { viewer: viewing.id });
      return {};
    },
  },
  label: {
    usage: 'KEY=VALUE',
    async run({ coordinator, session }, rest) {
      const [, key = '', value = ''] =
        /^([^=\s]+)=(.*)$/.exec(rest) ?? badLine('use label KEY=VALUE');
      await coordinator.setLabels(session, { [key]: value === '' ? null : value });
      return { said: value === '' ? `removed the label ${key}` : `${key}=${value}` };
    },
  },
  kill: {
    usage: '',
    async run({ coordinator, session }) {
      await coordinator.end(session);
      return {};
    },
  },
  revive: { usage: '', run: (scene) => restart(scene) },
  rm: {
    usage: '',
    async run({ coordinator, session }) {
      await coordinator.remove(session);
      return { way: { type: 'removed', session: session.name } };
    },
  },
  attach: {
    usage: 'SESSION',
    async run({ coordinator }, name) {
      if (name === '') badLine('use attach SESSION');
      const { id, name: found } = await coordinator.info(name);
      return { way: { type: 'other', session: { name: found, id } } };
    },
  },
};

async function give({ viewing }: Scene, note: string): Promise<Done> {
  await viewing?.give(note === '' ? {} : { note });
  return {};
}

/** Runs a line that was typed after `:`. @throws VtrError INVALID_ARGUMENT, and of the call */
export async function runLine(line: string, scene: Scene): Promise<Done> {
  const [word = ''] = line.trim().split(/\s+/);
  if (word === '') return {};
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command !== undefined) {
    const rest = line.trim().slice(word.length).trim();
    // `rm build` must not remove the session in view.
    if (command.usage === '' && rest !== '')
      badLine(`${word} has no argument: it is for this session`);
    return command.run(scene, rest);
  }
  const names = Object.keys(commands);
  const [near] = nearMisses(word, names);
  const hint = near === undefined ? `use ${names.join(', ')}` : `did you mean ${near}?`;
  badLine(`no command ${JSON.stringify(word)}; ${hint}`);
}

/** @throws VtrError INVALID_ARGUMENT */
function badLine(message: string): never {
  throw new VtrError('INVALID_ARGUMENT', message);
}
