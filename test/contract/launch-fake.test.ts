import { describeLaunchContract } from './launch/describe-launch-contract.ts';
import { openFakeLaunches } from './launch/fake-launches.ts';

describeLaunchContract('the fake API server', { open: openFakeLaunches, obstacle: null });
