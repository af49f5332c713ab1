import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder, seen from build/bench. */
export const repositoryRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
