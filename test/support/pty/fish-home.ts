import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps fish from reading all manual pages of the machine for completions. In a home without this
 * directory it does so in the background, which takes a processor for 17 s.
 */
export function makeFishHome(home: string): void {
  mkdirSync(join(home, '.local/share/fish/generated_completions'), { recursive: true });
}
