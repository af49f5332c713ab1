export { type PathProblem, parentsProblem } from './path-owners.ts';
export { mayConnect, socketProblem, untrustedSocket } from './socket-users.ts';
export { bootId, thisMachine, thisUser } from './this-process.ts';
