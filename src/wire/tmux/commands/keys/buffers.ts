import { resolve } from 'node:path';
import { FormatContext } from '../../format/context.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import type { Call, Commands } from '../call.ts';
import { clientOf } from '../people/clients.ts';
import { fileText, inputOf, writeFile } from '../shell.ts';

const bufferFormat = '#{buffer_name}: #{buffer_size} bytes: "#{buffer_sample}"';

export const bufferCommands = {
  'set-buffer': {
    usage: '[-aw] [-b buffer-name] [-n new-buffer-name] [-t target-client] data',
    words: [0, 1],
    run: setBuffer,
  },
  'show-buffer': {
    usage: '[-b buffer-name]',
    run: (call, args) => {
      const { text } = call.server.buffers.find(args.value('b'));
      call.output.stdout += text;
    },
  },
  'list-buffers': {
    usage: '[-F format] [-f filter]',
    run: (call, args) => {
      const { server } = call;
      const all = server.buffers.all.map((buffer) => new FormatContext({ server, buffer }));
      return call.printAll(all, args.value('F') ?? bufferFormat, args.value('f'));
    },
  },
  'delete-buffer': {
    usage: '[-b buffer-name]',
    run: (call, args) => call.server.buffers.remove(args.value('b')),
  },
  'load-buffer': {
    usage: '[-b buffer-name] [-t target-client] path',
    words: [1, 1],
    run: async (call, args) => {
      const path = await pathOf(call, args);
      const text = path === null ? inputOf(call) : await fileText(path);
      keep(call, args.value('b'), text);
      if (text !== '') copy(call, args);
    },
  },
  'save-buffer': {
    usage: '[-a] [-b buffer-name] path',
    words: [1, 1],
    run: async (call, args) => {
      const { text } = call.server.buffers.find(args.value('b'));
      const path = await pathOf(call, args);
      if (path === null) call.output.stdout += text;
      else await writeFile(path, text, args.has('a'));
    },
  },
} satisfies Commands;

function setBuffer(call: Call, args: Arguments): void {
  const { server } = call;
  const name = args.value('b');
  const newName = args.value('n');
  if (newName !== undefined && args.words.length === 0) {
    server.buffers.rename(name, newName);
    return;
  }
  const [text] = args.words;
  if (text === undefined) throw new TmuxError('no data specified');
  if (text === '') return;
  const before =
    args.has('a') && (name === undefined ? server.buffers.all.length > 0 : server.buffers.has(name))
      ? server.buffers.find(name)
      : null;
  if (before === null) keep(call, name, text);
  else if (name === undefined) before.text += text;
  else keep(call, name, before.text + text);
  copy(call, args);
}

/** Gives the buffer to the clipboard of a client as well, if there is one and the flag `-w` asks for it. */
function copy(call: Call, args: Arguments): void {
  if (!args.has('w') || (call.server.clients.size === 0 && !args.has('t'))) return;
  clientOf(call, args, 't').terminal?.copied();
}

function keep({ server }: Call, name: string | undefined, text: string): void {
  if (name === '') throw new TmuxError('empty buffer name');
  server.buffers.set(name, text, server.options.number('buffer-limit'), server.nowMs());
}

/** The path of a file; null for standard input or output. */
async function pathOf(call: Call, args: Arguments): Promise<string | null> {
  const [word = ''] = args.words;
  if (word === '-') return null;
  return resolve(call.caller.cwd, await call.expand(word, call.targets.current()));
}
