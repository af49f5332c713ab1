export {
  fileProblem,
  isOwn,
  ownProblem,
  type PathProblem,
  parentsProblem,
  strangersEntry,
  temporaryDirectory,
} from './path-owners.ts';
export { loopbackUser, mayConnect, socketProblem, untrustedSocket } from './socket-users.ts';
export { bootId, realUser, thisMachine, thisUser } from './this-process.ts';
