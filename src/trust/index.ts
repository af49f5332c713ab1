export { type PathProblem, parentsProblem } from './path-owners.ts';
export { mayConnect, socketProblem, untrustedSocket } from './socket-users.ts';
export { thisUser } from './this-user.ts';
