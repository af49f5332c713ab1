import { homedir, hostname, userInfo } from 'node:os';
import { root } from '../root.mjs';

/** Words that identify the machine or user of a recording. Every machine has a user root. */
export function privateWords() {
  const { username } = userInfo();
  const words = [hostname(), root, homedir(), ...(username === 'root' ? [] : [username])];
  return words.filter((word) => word !== '/' && word !== 'localhost');
}
