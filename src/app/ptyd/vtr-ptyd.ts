// The file that Node runs as the process of a PTY host.
import { launch } from '#app/launch';

launch('vtr-ptyhost.cjs', __dirname, require);
