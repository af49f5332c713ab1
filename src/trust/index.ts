export { isExecutable } from './executable.ts';
export {
  bootId,
  fileProblem,
  isOwn,
  ownProblem,
  type PathProblem,
  parentsProblem,
  realUser,
  temporaryDirectory,
  thisMachine,
  thisUser,
  writeProblem,
} from './path-owners.ts';
export { loopbackUser, mayConnect, socketProblem, untrustedSocket } from './socket-users.ts';
