import type { AttachedClient } from '../../state/tmux-server.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import { type Call, type Command, type Commands, many } from '../call.ts';
import { clientOf } from './clients.ts';
import { displayPopup } from './popup.ts';

/** A command that asks a person at a client. Without one it fails as in tmux; clients here are programs. */
const asking = (
  row: Omit<Command, 'run'>,
  clientFlag: string,
  ask: (call: Call, args: Arguments, client: AttachedClient) => void | Promise<void>,
): Command => ({ ...row, run: (call, args) => ask(call, args, clientOf(call, args, clientFlag)) });

const nobody = (name: string, instead: string) => (): never => {
  throw new TmuxError(`vtr does not support ${name} for a client in control mode: ${instead}`);
};

/** Kinds of prompts that have a history. */
const promptTypes = ['command', 'search', 'target', 'window-target'];

export const peopleCommands = {
  'command-prompt': asking(
    {
      usage: '[-1bFkiN] [-I inputs] [-p prompts] [-t target-client] [-T type] [template]',
      words: [0, 1],
    },
    't',
    nobody('command-prompt', 'run the command'),
  ),
  'confirm-before': asking(
    {
      usage: '[-b] [-p prompt] [-t target-client] command',
      words: [1, 1],
    },
    't',
    nobody('confirm-before', 'run the command'),
  ),
  'display-menu': asking(
    {
      usage:
        '[-O] [-c target-client] [-t target-pane] [-T title] [-x position] [-y position] name key command ...',
      words: [1, many],
    },
    'c',
    nobody('display-menu', 'run the command'),
  ),
  'display-panes': asking(
    {
      usage: '[-bN] [-d duration] [-t target-client] [template]',
      words: [0, 1],
    },
    't',
    // A client in control mode does not show them.
    () => {},
  ),
  'display-popup': asking(
    {
      usage:
        '[-BCE] [-b border-lines] [-c target-client] [-d start-directory] [-e environment] [-h height] [-s style] [-S border-style] [-t target-pane][-T title] [-w width] [-x position] [-y position] [shell-command]',
      words: [0, many],
      waits: true,
    },
    'c',
    displayPopup,
  ),
  'lock-client': asking({ usage: '[-t target-client]' }, 't', () => {}),
  // There is no terminal to lock.
  'lock-server': { usage: '', run: () => {} },
  'lock-session': {
    usage: '[-t target-session]',
    run: (call, args) => void call.target(args, 'session'),
  },
  'suspend-client': asking({ usage: '[-t target-client]' }, 't', () => {}),
  'show-prompt-history': {
    usage: '[-T type]',
    run: (call, args) => {
      for (const type of typesOf(args)) call.print(`History for ${type}:\n\n`);
    },
  },
  'clear-prompt-history': {
    usage: '[-T type]',
    run: (_call, args) => void typesOf(args),
  },
  'server-access': {
    usage: '[-adlrw] [-t target-pane] [user]',
    words: [0, 1],
    run: serverAccess,
  },
} satisfies Commands;

/** @throws TmuxError */
function typesOf(args: Arguments): readonly string[] {
  const given = args.value('T');
  if (given === undefined) return promptTypes;
  if (!promptTypes.includes(given)) throw new TmuxError(`invalid type: ${given}`);
  return [given];
}

/** Nobody but the user reaches the socket of vtr, so there is nobody to list or to remove. @throws TmuxError */
function serverAccess(_call: Call, args: Arguments): void {
  if (args.has('l')) return;
  const [user] = args.words;
  if (user === undefined) throw new TmuxError('missing user argument');
  if (args.has('a') && args.has('d')) throw new TmuxError('-a and -d cannot be used together');
  if (args.has('r') && args.has('w')) throw new TmuxError('-r and -w cannot be used together');
  if (args.has('d')) throw new TmuxError(`user ${user} not found`);
  throw new TmuxError('vtr does not support server-access -a: its socket is private to its user');
}
