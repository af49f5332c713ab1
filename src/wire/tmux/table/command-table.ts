/** What the client and the daemon know of a command of tmux. */
export interface CommandRow {
  readonly alias?: string;
  /** Flags as for getopt(3): a letter, with `:` after it if it has a value. */
  readonly flags: string;
  /** Whether it starts a server where none runs. */
  readonly starts?: true;
  /** Its words are paths of files that it reads or writes. */
  readonly file?: 'read' | 'written';
  /** The flag with which, and without words, it reads standard input. */
  readonly input?: string;
}

/** The commands of tmux, in its order. What each does is in `commands`. */
// biome-ignore format: a table
export const commandTable = {
  'attach-session': { alias: 'attach', flags: 'c:dEf:rt:x', starts: true },
  'bind-key': { alias: 'bind', flags: 'nrN:T:' },
  'break-pane': { alias: 'breakp', flags: 'abdPF:n:s:t:' },
  'capture-pane': { alias: 'capturep', flags: 'ab:CeE:JNpPqS:t:' },
  'choose-buffer': { flags: 'F:f:K:NO:rt:yZ' },
  'choose-client': { flags: 'F:f:K:NO:rt:yZ' },
  'choose-tree': { flags: 'F:f:GK:NO:rst:wyZ' },
  'clear-history': { alias: 'clearhist', flags: 't:' },
  'clear-prompt-history': { alias: 'clearphist', flags: 'T:' },
  'clock-mode': { flags: 't:' },
  'command-prompt': { flags: '1bFkiI:Np:t:T:' },
  'confirm-before': { alias: 'confirm', flags: 'bp:t:' },
  'copy-mode': { flags: 'eHMs:t:uq' },
  'customize-mode': { flags: 'F:f:Nt:yZ' },
  'delete-buffer': { alias: 'deleteb', flags: 'b:' },
  'detach-client': { alias: 'detach', flags: 'aE:s:t:P' },
  'display-menu': { alias: 'menu', flags: 'c:t:OT:x:y:' },
  'display-message': { alias: 'display', flags: 'ac:d:INpt:F:v' },
  'display-popup': { alias: 'popup', flags: 'Bb:Cc:d:e:Eh:s:S:t:T:w:x:y:' },
  'display-panes': { alias: 'displayp', flags: 'bd:Nt:' },
  'find-window': { alias: 'findw', flags: 'CiNrt:TZ' },
  'has-session': { alias: 'has', flags: 't:' },
  'if-shell': { alias: 'if', flags: 'bFt:' },
  'join-pane': { alias: 'joinp', flags: 'bdfhvp:l:s:t:' },
  'kill-pane': { alias: 'killp', flags: 'at:' },
  'kill-server': { flags: '' },
  'kill-session': { flags: 'aCt:' },
  'kill-window': { alias: 'killw', flags: 'at:' },
  'last-pane': { alias: 'lastp', flags: 'det:Z' },
  'last-window': { alias: 'last', flags: 't:' },
  'link-window': { alias: 'linkw', flags: 'abdks:t:' },
  'list-buffers': { alias: 'lsb', flags: 'F:f:' },
  'list-clients': { alias: 'lsc', flags: 'F:f:t:' },
  'list-commands': { alias: 'lscm', flags: 'F:', starts: true },
  'list-keys': { alias: 'lsk', flags: '1aNP:T:', starts: true },
  'list-panes': { alias: 'lsp', flags: 'asF:f:t:' },
  'list-sessions': { alias: 'ls', flags: 'F:f:' },
  'list-windows': { alias: 'lsw', flags: 'aF:f:t:' },
  'load-buffer': { alias: 'loadb', flags: 'b:t:w', file: 'read' },
  'lock-client': { alias: 'lockc', flags: 't:' },
  'lock-server': { alias: 'lock', flags: '' },
  'lock-session': { alias: 'locks', flags: 't:' },
  'move-pane': { alias: 'movep', flags: 'bdfhvp:l:s:t:' },
  'move-window': { alias: 'movew', flags: 'abdkrs:t:' },
  'new-session': { alias: 'new', flags: 'Ac:dDe:EF:f:n:Ps:t:x:Xy:', starts: true },
  'new-window': { alias: 'neww', flags: 'abc:de:F:kn:PSt:' },
  'next-layout': { alias: 'nextl', flags: 't:' },
  'next-window': { alias: 'next', flags: 'at:' },
  'paste-buffer': { alias: 'pasteb', flags: 'db:prs:t:' },
  'pipe-pane': { alias: 'pipep', flags: 'IOot:' },
  'previous-layout': { alias: 'prevl', flags: 't:' },
  'previous-window': { alias: 'prev', flags: 'at:' },
  'refresh-client': { alias: 'refresh', flags: 'A:B:cC:Df:F:lLRSt:U' },
  'rename-session': { alias: 'rename', flags: 't:' },
  'rename-window': { alias: 'renamew', flags: 't:' },
  'resize-pane': { alias: 'resizep', flags: 'DLMRTt:Ux:y:Z' },
  'resize-window': { alias: 'resizew', flags: 'aADLRt:Ux:y:' },
  'respawn-pane': { alias: 'respawnp', flags: 'c:e:kt:' },
  'respawn-window': { alias: 'respawnw', flags: 'c:e:kt:' },
  'rotate-window': { alias: 'rotatew', flags: 'Dt:UZ' },
  'run-shell': { alias: 'run', flags: 'bd:Ct:' },
  'save-buffer': { alias: 'saveb', flags: 'ab:', file: 'written' },
  'select-layout': { alias: 'selectl', flags: 'Enopt:' },
  'select-pane': { alias: 'selectp', flags: 'DdegLlMmP:RT:t:UZ' },
  'select-window': { alias: 'selectw', flags: 'lnpTt:' },
  'send-keys': { alias: 'send', flags: 'FHlMN:Rt:X' },
  'send-prefix': { flags: '2t:' },
  'server-access': { flags: 'adlrw' },
  'set-buffer': { alias: 'setb', flags: 'ab:t:n:w' },
  'set-environment': { alias: 'setenv', flags: 'Fhgrt:u' },
  'set-hook': { flags: 'agpRt:uw' },
  'set-option': { alias: 'set', flags: 'aFgopqst:uUw' },
  'set-window-option': { alias: 'setw', flags: 'aFgoqt:u' },
  'show-buffer': { alias: 'showb', flags: 'b:' },
  'show-environment': { alias: 'showenv', flags: 'hgst:' },
  'show-hooks': { flags: 'gpt:w' },
  'show-messages': { alias: 'showmsgs', flags: 'JTt:' },
  'show-options': { alias: 'show', flags: 'AgHpqst:vw' },
  'show-prompt-history': { alias: 'showphist', flags: 'T:' },
  'show-window-options': { alias: 'showw', flags: 'gvt:' },
  'source-file': { alias: 'source', flags: 'Fnqt:v', file: 'read' },
  'split-window': { alias: 'splitw', flags: 'bc:de:fF:hIl:p:Pt:vZ', input: 'I' },
  'start-server': { alias: 'start', flags: '', starts: true },
  'suspend-client': { alias: 'suspendc', flags: 't:' },
  'swap-pane': { alias: 'swapp', flags: 'dDs:t:UZ' },
  'swap-window': { alias: 'swapw', flags: 'ds:t:' },
  'switch-client': { alias: 'switchc', flags: 'c:EFlnprt:T:Z' },
  'unbind-key': { alias: 'unbind', flags: 'anqT:' },
  'unlink-window': { alias: 'unlinkw', flags: 'kt:' },
  'wait-for': { alias: 'wait', flags: 'LSU' },
} satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof commandTable;

export const commandNames = Object.keys(commandTable) as readonly CommandName[];

/** Returns the commands that a word can mean: that with this name or alias, else those whose names begin with it. */
export function commandsMeant(word: string): readonly CommandName[] {
  if (word === '') return [];
  const rows: Readonly<Record<CommandName, CommandRow>> = commandTable;
  const whole = commandNames.find((name) => name === word || rows[name].alias === word);
  return whole === undefined ? commandNames.filter((name) => name.startsWith(word)) : [whole];
}

/** Returns the row of the command that a word means; null if it means none, or several. */
export function commandRow(word: string): CommandRow | null {
  const [only, ...more] = commandsMeant(word);
  return only === undefined || more.length > 0 ? null : commandTable[only];
}
