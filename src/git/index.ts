// What vtr asks git: worktrees of a repository, and the work that is left in one.

export {
  type Git,
  gitIn,
  type ListedWorktree,
  listWorktrees,
  mainWorktree,
  withoutRepository,
} from './git.ts';
export { makeWorktree, type WantedWorktree } from './make-worktree.ts';
export { checkNoWorkLeft } from './work-left.ts';
