import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { together } from '../../../scripts/soaking/stages.mjs';

/** The files that take 15 s or more on two cores. They start first, so that none runs alone at the end. */
const longest = [
  ...together,
  'src/coordinator/running/relayed-shells.test.ts',
  'src/coordinator/running/run-programs.test.ts',
  'test/e2e/verbs/commands.test.ts',
  'test/contract/remote-coordinator-output.test.ts',
  'test/contract/remote-coordinator-sessions.test.ts',
  'test/e2e/mcp/flows.test.ts',
  'test/e2e/restart.test.ts',
  'src/coordinator/running/lines-as-they-are.test.ts',
  'test/e2e/interrupted-calls.test.ts',
  'test/e2e/mcp/lean.test.ts',
  'test/e2e/acp/proxy.test.ts',
  'test/e2e/verbs/test.test.ts',
  'test/e2e/saved-sessions.test.ts',
  'test/contract/hosted-pty-host.test.ts',
  'src/coordinator/running/second-prompts.test.ts',
  'test/e2e/verbs/attach.test.ts',
  'test/e2e/daemon.test.ts',
  'test/e2e/mcp/http.test.ts',
  'test/e2e/mcp/process.test.ts',
  'test/e2e/pty-host.test.ts',
  'test/e2e/start-up.test.ts',
  'test/e2e/trust.test.ts',
  'test/e2e/forwarded-socket.test.ts',
  'test/e2e/verbs/web.test.ts',
  'test/e2e/surroundings.test.ts',
  'test/e2e/daemon-terminals.test.ts',
  'test/e2e/verbs/log.test.ts',
  'test/e2e/fleet-examples.test.ts',
  'test/e2e/verbs/waits.test.ts',
  'test/e2e/mcp/resources.test.ts',
  'test/contract/terminals.test.ts',
  'src/app/ptyd/surviving.test.ts',
  'test/e2e/verbs/recordings.test.ts',
  'test/e2e/mcp/tools.test.ts',
  'src/coordinator/running/unverified-marks.test.ts',
  'test/contract/service-limits.test.ts',
  'src/coordinator/running/return-from-ssh.test.ts',
  'test/e2e/specification.test.ts',
  'test/e2e/verbs/input.test.ts',
  'test/e2e/reliability.test.ts',
  // Those of `npm run verify`.
  'test/e2e/composers.test.ts',
  'test/contract/coordinator.test.ts',
  'test/e2e/silent-daemon.test.ts',
  'test/gates.test.ts',
  'test/e2e/hostile-coordinator.test.ts',
  'test/programs/bench.test.ts',
  'test/e2e/web-page.test.ts',
  'test/programs/echo.test.ts',
  'test/e2e/containers.test.ts',
  'test/e2e/other-machines.test.ts',
  'test/e2e/package.test.ts',
  'test/e2e/limits.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/restart-versions.test.ts',
  'test/e2e/verbs/install.test.ts',
  'src/vt/laws.test.ts',
  'src/vt/hostile.test.ts',
  'test/contract/mangled-pty-host.test.ts',
  'test/contract/pty-host.test.ts',
  'test/contract/tmux/tmux-oracle.test.ts',
  'src/vt/state/memory.test.ts',
  'test/e2e/mcp/termcp.test.ts',
  'src/vt/saving.test.ts',
  'test/e2e/mcp/load.test.ts',
  'test/programs/limits.test.ts',
  'test/programs/tmux-agreement.test.ts',
  'test/e2e/mcp/termcp-command.test.ts',
  'test/e2e/mcp/termcp-scenarios.test.ts',
];

/** vitest sorts by the durations of earlier runs; in a fresh clone it sorts by size. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
