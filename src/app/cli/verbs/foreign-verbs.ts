const list = 'list the sessions with: vtr ls';
const create =
  'start a session with: vtr new NAME -- PROGRAM ARGS...; in a script, vtr spawn NAME -- PROGRAM';
const show = 'print the screen with: vtr screen SESSION';
const type = 'type with: vtr send SESSION TEXT --enter, vtr key SESSION KEY...';
const attach = 'attach with: vtr attach SESSION';
const remove = 'end and remove a session with: vtr rm SESSION';
const history = 'print the output with: vtr read SESSION --tail 100';
const follow = 'print the output as it comes with: vtr read SESSION --follow';
const describe = 'describe a session with: vtr info SESSION';
const resize = 'resize with: vtr resize SESSION COLS ROWS';
const rename = 'rename a session with: vtr rename SESSION NAME';
const serve = 'start the daemon with: vtr serve --daemon';
const stop = 'end the daemon and all sessions with: vtr serve --stop';
const restart = 'replace the daemon with: vtr serve --restart';
const leave = 'in vtr attach, press Ctrl+b d';
const remote =
  'use a session of another machine with: vtr attach SESSION --coordinator ssh://HOST; copy this program there with: vtr install ssh://HOST';
const paste = 'paste with: vtr send SESSION --stdin --paste';
const wait = 'wait with: vtr wait SESSION RE';
const search = 'search with: vtr grep SESSION RE';

/** Verbs of tmux, screen and similar programs, and how to do the same with vtr. */
export const foreignVerbs: Readonly<Record<string, string>> = {
  ...all('list ls-sessions list-sessions lsp list-panes list-windows sessions ps', list),
  ...all('new-session new-window neww create open launch split-window splitw', create),
  ...all('capture-pane capturep capture hardcopy show snapshot view display dump-screen', show),
  ...all('send-keys sendkeys send-key keys press type write input stuff', type),
  ...all('attach-session a at att reattach resume switch-client', attach),
  ...all('kill-session kill-window kill-pane killp remove delete destroy close terminate', remove),
  ...all('quit end stop-session', remove),
  ...all('rename-session rename-window renamew mv', rename),
  ...all('tag set-label', 'label a session with: vtr label SESSION KEY=VALUE'),
  ...all('kill-server stop shutdown down', stop),
  ...all('restart reload update upgrade', restart),
  ...all('uninstall', `${stop}; and remove the package with: npm rm -g vtr`),
  ...all('detach detach-client', leave),
  ...all('ssh host', remote),
  ...all('top htop', 'look on with: vtr ui, vtr ls --watch'),
  ...all('start-server daemon server up', serve),
  ...all('history scrollback logs cat', history),
  ...all('follow tail stream pipe-pane pipep', follow),
  ...all('has-session has describe status show-session display-message inspect', describe),
  ...all('resize-window resize-pane resizew resizep', resize),
  ...all('paste paste-buffer pasteb set-buffer load-buffer', paste),
  ...all('wait-for waitfor expect', wait),
  ...all('search find rg', search),
};

const again = 'start the program again with: vtr revive --now SESSION';
const ended = 'end the program with: vtr kill SESSION; and remove the session with: vtr rm SESSION';

/** What those verbs mean that take a session, if one is given. */
export const foreignVerbsOfSession: Readonly<Record<string, string>> = {
  ...all('stop shutdown down', ended),
  ...all('restart respawn-pane respawnp', again),
};

function all(names: string, text: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, text]));
}
