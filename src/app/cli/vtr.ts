// The file that Node runs as `vtr`.
import { launch } from '#app/launch';

launch('vtr-command.cjs', __dirname, require);
