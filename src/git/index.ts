// What vtr asks git: worktrees of a repository, and the work that is left in one.

export { gitIn, listWorktrees, mainWorktree, withoutRepository } from './git.ts';
export { makeWorktree } from './make-worktree.ts';
export { trackingOf } from './tracking.ts';
export { checkNoWorkLeft } from './work-left.ts';
