import { homedir, hostname, userInfo } from 'node:os';
import { root } from '../root.mjs';

/** What tells whose machine a recording was made on. Every machine has a root. */
export function privateWords() {
  const { username } = userInfo();
  const words = [hostname(), root, homedir(), ...(username === 'root' ? [] : [username])];
  return words.filter((word) => word !== '/' && word !== 'localhost');
}
