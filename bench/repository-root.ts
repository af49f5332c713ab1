import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of the repository; this file is in build/bench. */
export const repositoryRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
