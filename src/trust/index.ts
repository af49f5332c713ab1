export { type PathProblem, parentsProblem } from './path-owners.ts';
export { checkSocket, mayConnect, socketProblem } from './socket-users.ts';
export { thisUser } from './this-user.ts';
