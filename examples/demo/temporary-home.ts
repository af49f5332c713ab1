import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder that the demo's programs are given as their home: your settings have no part in what
 * they show, and their histories do not end up among yours.
 */
export class TemporaryHome {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'vtr-demo-')));

  read(name: string): string | null {
    const file = join(this.path, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** What is left of it. */
  remains(): string[] {
    return existsSync(this.path) ? [this.path] : [];
  }
}
