// The file that Node runs as `termcp`.
import { launch } from '#app/launch';

launch('vtr-termcp.cjs', __dirname, require);
