// The file that Node runs as the process of a PTY host.
import { launch } from '#app/launch';
import { earlyCode } from '#base';

// Set late: from the start, V8 optimises Node's own code that loads modules, and its compiler takes 4 MB of memory.
launch('vtr-ptyhost.cjs', __dirname, require, [], earlyCode(process.versions.v8));
