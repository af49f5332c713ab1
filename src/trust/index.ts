export {
  fileProblem,
  isOwn,
  ownProblem,
  type PathProblem,
  parentsProblem,
  temporaryDirectory,
  writeProblem,
} from './path-owners.ts';
export { loopbackUser, mayConnect, socketProblem, untrustedSocket } from './socket-users.ts';
export { bootId, realUser, thisMachine, thisUser } from './this-process.ts';
