// What people use in their own terminal:
//
// - tty-screen: the terminal of the person, while vtr uses it
// - runtime: what runs attach, ui and the player; keys: what their keys do
// - view: what is shown of a session, as pure functions
// - attach: a session in the person's terminal
// - overview: all sessions
// - panes: sessions side by side, beside the list of all
// - player: recordings
// - tmux-client: the windows of a server of tmux, as the daemon draws them

export { attach } from './attach.ts';
export { linkTo } from './coordinator-link.ts';
export { Keys } from './keys.ts';
export { layoutNameProblem } from './panes/saved-layout.ts';
export { showTmuxClient } from './tmux-client.ts';
export { ui } from './ui.ts';

/** Loaded on demand: other commands need neither the player nor recordings. */
export const loadPlayer = () => import('./player/play.ts');
